#include "text/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "base/utf8.hpp"

namespace godwit {
namespace {

using CodePoints = std::vector<utf8proc_int32_t>;

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

void append_utf8(std::string& out, char32_t c) {
    utf8proc_uint8_t bytes[4];
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

void append_lower(std::string& out, char32_t c) {
    if (c == 0x130) {  // İ: the one whose lower case is two characters
        out += "i\u0307";
        return;
    }
    append_utf8(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
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

}  // namespace godwit
