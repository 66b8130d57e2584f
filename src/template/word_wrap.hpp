// Python's textwrap.wrap, as the filter wordwrap calls it.
#pragma once

#include <vector>

#include "template/runtime.hpp"

namespace godwit::jinja {

struct WrapStyle {
    size_t width = 79;  // code points, at least 1
    bool break_long_words = true;
    bool break_on_hyphens = true;
};

/// The lines of a text without line breaks.
Result<std::vector<TracedText>> wrap_words(Runtime& runtime, const TracedText& text, const WrapStyle& style);

}  // namespace godwit::jinja
