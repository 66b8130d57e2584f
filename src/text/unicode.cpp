#include "text/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "base/utf8.hpp"
#include "text/code_point_ranges.hpp"

namespace godwit {
namespace {

using CodePoints = std::vector<utf8proc_int32_t>;

// Digits that make no decimal number, as ² (Numeric_Type=Digit), and numbers that are letters, as 一.
constexpr CodePointRange kDigits[] = {{0x00b2, 0x00b3},   {0x00b9, 0x00b9},   {0x1369, 0x1371},   {0x19da, 0x19da},
                                      {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
                                      {0x2474, 0x247c},   {0x2488, 0x2490},   {0x24ea, 0x24ea},   {0x24f5, 0x24fd},
                                      {0x24ff, 0x24ff},   {0x2776, 0x277e},   {0x2780, 0x2788},   {0x278a, 0x2792},
                                      {0x10a40, 0x10a43}, {0x10e60, 0x10e68}, {0x11052, 0x1105a}, {0x1f100, 0x1f10a}};
constexpr CodePointRange kNumberLetters[] = {
    {0x3405, 0x3405},   {0x3483, 0x3483},   {0x382a, 0x382a},   {0x3b4d, 0x3b4d},   {0x4e00, 0x4e00},
    {0x4e03, 0x4e03},   {0x4e07, 0x4e07},   {0x4e09, 0x4e09},   {0x4e5d, 0x4e5d},   {0x4e8c, 0x4e8c},
    {0x4e94, 0x4e94},   {0x4e96, 0x4e96},   {0x4ebf, 0x4ec0},   {0x4edf, 0x4edf},   {0x4ee8, 0x4ee8},
    {0x4f0d, 0x4f0d},   {0x4f70, 0x4f70},   {0x5104, 0x5104},   {0x5146, 0x5146},   {0x5169, 0x5169},
    {0x516b, 0x516b},   {0x516d, 0x516d},   {0x5341, 0x5341},   {0x5343, 0x5345},   {0x534c, 0x534c},
    {0x53c1, 0x53c4},   {0x56db, 0x56db},   {0x58f1, 0x58f1},   {0x58f9, 0x58f9},   {0x5e7a, 0x5e7a},
    {0x5efe, 0x5eff},   {0x5f0c, 0x5f0e},   {0x5f10, 0x5f10},   {0x62fe, 0x62fe},   {0x634c, 0x634c},
    {0x67d2, 0x67d2},   {0x6f06, 0x6f06},   {0x7396, 0x7396},   {0x767e, 0x767e},   {0x8086, 0x8086},
    {0x842c, 0x842c},   {0x8cae, 0x8cae},   {0x8cb3, 0x8cb3},   {0x8d30, 0x8d30},   {0x9621, 0x9621},
    {0x9646, 0x9646},   {0x964c, 0x964c},   {0x9678, 0x9678},   {0x96f6, 0x96f6},   {0xf96b, 0xf96b},
    {0xf973, 0xf973},   {0xf978, 0xf978},   {0xf9b2, 0xf9b2},   {0xf9d1, 0xf9d1},   {0xf9d3, 0xf9d3},
    {0xf9fd, 0xf9fd},   {0x20001, 0x20001}, {0x20064, 0x20064}, {0x200e2, 0x200e2}, {0x20121, 0x20121},
    {0x2092a, 0x2092a}, {0x20983, 0x20983}, {0x2098c, 0x2098c}, {0x2099c, 0x2099c}, {0x20aea, 0x20aea},
    {0x20afd, 0x20afd}, {0x20b19, 0x20b19}, {0x22390, 0x22390}, {0x22998, 0x22998}, {0x23b1b, 0x23b1b},
    {0x2626d, 0x2626d}, {0x2f890, 0x2f890}};
// Unicode's DerivedCoreProperties.txt, where it differs from the categories: letters that begin no identifier (XID),
// and other characters that begin or continue one.
constexpr CodePointRange kNoStart[] = {{0x037a, 0x037a}, {0x0e33, 0x0e33}, {0x0eb3, 0x0eb3}, {0x2e2f, 0x2e2f},
                                       {0xfc5e, 0xfc63}, {0xfdfa, 0xfdfb}, {0xfe70, 0xfe70}, {0xfe72, 0xfe72},
                                       {0xfe74, 0xfe74}, {0xfe76, 0xfe76}, {0xfe78, 0xfe78}, {0xfe7a, 0xfe7a},
                                       {0xfe7c, 0xfe7c}, {0xfe7e, 0xfe7e}, {0xff9e, 0xff9f}};
constexpr CodePointRange kOtherStart[] = {{0x1885, 0x1886}, {0x2118, 0x2118}, {0x212e, 0x212e}};
constexpr CodePointRange kOtherContinue[] = {{0x00b7, 0x00b7}, {0x0387, 0x0387}, {0x0e33, 0x0e33}, {0x0eb3, 0x0eb3},
                                             {0x1369, 0x1371}, {0x19da, 0x19da}, {0xff9e, 0xff9f}};

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

auto combining_class(utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; }

void decompose(char32_t c, bool compatible, CodePoints& out) {
    constexpr int kMost = 32;  // U+FDFA becomes 18
    utf8proc_int32_t parts[kMost];
    const int options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
    int bound_class = 0;
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, kMost,
                                               static_cast<utf8proc_option_t>(options), &bound_class);
    if (count < 0 || count > kMost) return out.push_back(static_cast<utf8proc_int32_t>(c));
    out.insert(out.end(), parts, parts + count);
}

/// Canonical ordering: each run of characters with a combining class by class, equal ones as they came. (utf8proc's own
/// takes the square of the run.)
void order_marks(CodePoints& text) {
    std::vector<std::pair<uint64_t, utf8proc_int32_t>> run;
    for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
        run.clear();
        for (end = begin; end < text.size() && combining_class(text[end]) != 0; ++end)
            run.emplace_back(static_cast<uint64_t>(combining_class(text[end])) << 48 | end, text[end]);
        if (run.size() < 2) continue;
        std::sort(run.begin(), run.end());
        for (size_t i = 0; i < run.size(); ++i) text[begin + i] = run[i].second;
    }
}

/// Normalises what was gathered and appends it to `out`.
void flush(CodePoints& text, bool compose, std::string& out) {
    order_marks(text);
    auto size = static_cast<utf8proc_ssize_t>(text.size());
    if (compose && size > 0)
        size = utf8proc_normalize_utf32(text.data(), size,
                                        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    for (utf8proc_ssize_t i = 0; i < size; ++i) append_utf8(out, static_cast<char32_t>(text[i]));
    text.clear();
}

}  // namespace

bool is_punctuation(char32_t c) {
    if (c < 0x80)
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    const auto kind = category(c);
    return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool is_mark(char32_t c) {
    const auto kind = category(c);
    return kind >= UTF8PROC_CATEGORY_MN && kind <= UTF8PROC_CATEGORY_ME;
}

bool is_nonspacing_mark(char32_t c) { return category(c) == UTF8PROC_CATEGORY_MN; }

bool is_numeric(char32_t c) {
    const auto kind = category(c);
    return kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
}

bool is_other(char32_t c) {
    const auto kind = category(c);
    return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF || kind == UTF8PROC_CATEGORY_CO;
}

bool is_word_character(char32_t c) {
    const auto kind = category(c);
    return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_ND) || kind == UTF8PROC_CATEGORY_NL ||
           kind == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D || (c >= 0x24B6 && c <= 0x24E9);
}

bool is_space(char32_t c) { return is_white_space(c) || (c >= 0x1C && c <= 0x1F); }

bool is_printable(char32_t c) {
    if (c == ' ') return true;
    switch (category(c)) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
        case UTF8PROC_CATEGORY_ZS:
            return false;
        default:
            return true;
    }
}

bool is_letter(char32_t c) {
    auto kind = category(c);
    return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

std::optional<int> decimal_digit(char32_t c) {
    if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
    if (c < 0x80 || category(c) != UTF8PROC_CATEGORY_ND) return std::nullopt;
    if (c >= 0x1D7CE && c <= 0x1D7FF) return static_cast<int>((c - 0x1D7CE) % 10);
    // Every other set of digits is a run of ten on its own or follows one.
    char32_t first = c;
    while (category(first - 1) == UTF8PROC_CATEGORY_ND) --first;
    return static_cast<int>((c - first) % 10);
}

bool has_digit_value(char32_t c) { return decimal_digit(c).has_value() || is_in(kDigits, c); }
bool has_numeric_value(char32_t c) { return is_numeric(c) || is_in(kNumberLetters, c); }

bool begins_identifier(char32_t c) {
    if (c == '_' || is_in(kOtherStart, c)) return true;
    return (is_letter(c) || category(c) == UTF8PROC_CATEGORY_NL) && !is_in(kNoStart, c);
}

bool continues_identifier(char32_t c) {
    if (begins_identifier(c) || is_in(kOtherContinue, c)) return true;
    const auto kind = category(c);
    return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_MC || kind == UTF8PROC_CATEGORY_ND ||
           kind == UTF8PROC_CATEGORY_PC;
}

std::string normal_form(std::string_view text, NormalForm form) {
    const bool compose = form == NormalForm::Nfc || form == NormalForm::Nfkc;
    const bool compatible = form == NormalForm::Nfkc || form == NormalForm::Nfkd;
    if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        return std::string(text);
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    CodePoints gathered;
    while (!text.empty()) {
        const Utf8Unit unit = next_utf8(text);
        if (unit.form == Utf8Form::WellFormed) {
            decompose(unit.code_point, compatible, gathered);
        } else {
            flush(gathered, compose, out);
            out += text.substr(0, unit.size);
        }
        text.remove_prefix(unit.size);
    }
    flush(gathered, compose, out);
    return out;
}

bool grapheme_break(char32_t before, char32_t after, int32_t& state) {
    return utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before), static_cast<utf8proc_int32_t>(after),
                                            &state);
}

int terminal_columns(char32_t c) { return utf8proc_charwidth(static_cast<utf8proc_int32_t>(c)); }

}  // namespace godwit
