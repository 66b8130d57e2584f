// The fields of Python's formats: what stands after the colon in '{:>8.2f}' and what makes up '%-5d'.
#pragma once

#include "template/runtime.hpp"

namespace godwit::jinja {

inline constexpr int64_t kFormatWidthMax = 1'000'000, kFormatPrecisionMax = 1'000;

struct FormatSpec {
    std::string_view fill = " ";
    char align = '\0';  // < > ^ =
    char sign = '\0';   // + or space
    bool alternate = false;
    bool no_negative_zero = false;
    char group = '\0';  // , or _
    int64_t width = 0;
    int64_t precision = -1;
    char type = '\0';
};

/// The digits at `at`, which moves behind them; an error above `limit`.
Result<int64_t> read_count(std::string_view text, size_t& at, int64_t limit);
/// [[fill]align][sign][z][#][0][width][group][.precision][type]. `text` must outlive the spec. `default_align`: < or >.
Result<FormatSpec> read_format_spec(std::string_view text, char default_align);

/// A number by a spec of type d, x, X, o, b, e, E, f, F, g, G, n, % or none; of a '%' format, `percent`, where a
/// precision of integers means digits. Errors: the type does not suit the number.
Result<TracedText> format_number(const Value& value, FormatSpec spec, bool percent);
/// A text cut to the precision and padded to the width, at the side that `otherwise` says if the spec does not.
TracedText format_text(const TracedText& text, const FormatSpec& spec, char otherwise);

}  // namespace godwit::jinja
