#include "template/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/utf8.hpp"

namespace godwit::jinja {

namespace {

// Characters whose capitals are several (Unicode's SpecialCasing.txt, unconditional mappings).
struct SpecialCase {
    char32_t from;
    std::string_view upper, title;
};
constexpr SpecialCase kSpecialCases[] = {
    // clang-format off
    {0x00df, "SS", "Ss"},
    {0x0149, "ʼN", "ʼN"},
    {0x01f0, "J̌", "J̌"},
    {0x0390, "Ϊ́", "Ϊ́"},
    {0x03b0, "Ϋ́", "Ϋ́"},
    {0x0587, "ԵՒ", "Եւ"},
    {0x1e96, "H̱", "H̱"},
    {0x1e97, "T̈", "T̈"},
    {0x1e98, "W̊", "W̊"},
    {0x1e99, "Y̊", "Y̊"},
    {0x1e9a, "Aʾ", "Aʾ"},
    {0x1f50, "Υ̓", "Υ̓"},
    {0x1f52, "Υ̓̀", "Υ̓̀"},
    {0x1f54, "Υ̓́", "Υ̓́"},
    {0x1f56, "Υ̓͂", "Υ̓͂"},
    {0x1f80, "ἈΙ", "ᾈ"},
    {0x1f81, "ἉΙ", "ᾉ"},
    {0x1f82, "ἊΙ", "ᾊ"},
    {0x1f83, "ἋΙ", "ᾋ"},
    {0x1f84, "ἌΙ", "ᾌ"},
    {0x1f85, "ἍΙ", "ᾍ"},
    {0x1f86, "ἎΙ", "ᾎ"},
    {0x1f87, "ἏΙ", "ᾏ"},
    {0x1f88, "ἈΙ", "ᾈ"},
    {0x1f89, "ἉΙ", "ᾉ"},
    {0x1f8a, "ἊΙ", "ᾊ"},
    {0x1f8b, "ἋΙ", "ᾋ"},
    {0x1f8c, "ἌΙ", "ᾌ"},
    {0x1f8d, "ἍΙ", "ᾍ"},
    {0x1f8e, "ἎΙ", "ᾎ"},
    {0x1f8f, "ἏΙ", "ᾏ"},
    {0x1f90, "ἨΙ", "ᾘ"},
    {0x1f91, "ἩΙ", "ᾙ"},
    {0x1f92, "ἪΙ", "ᾚ"},
    {0x1f93, "ἫΙ", "ᾛ"},
    {0x1f94, "ἬΙ", "ᾜ"},
    {0x1f95, "ἭΙ", "ᾝ"},
    {0x1f96, "ἮΙ", "ᾞ"},
    {0x1f97, "ἯΙ", "ᾟ"},
    {0x1f98, "ἨΙ", "ᾘ"},
    {0x1f99, "ἩΙ", "ᾙ"},
    {0x1f9a, "ἪΙ", "ᾚ"},
    {0x1f9b, "ἫΙ", "ᾛ"},
    {0x1f9c, "ἬΙ", "ᾜ"},
    {0x1f9d, "ἭΙ", "ᾝ"},
    {0x1f9e, "ἮΙ", "ᾞ"},
    {0x1f9f, "ἯΙ", "ᾟ"},
    {0x1fa0, "ὨΙ", "ᾨ"},
    {0x1fa1, "ὩΙ", "ᾩ"},
    {0x1fa2, "ὪΙ", "ᾪ"},
    {0x1fa3, "ὫΙ", "ᾫ"},
    {0x1fa4, "ὬΙ", "ᾬ"},
    {0x1fa5, "ὭΙ", "ᾭ"},
    {0x1fa6, "ὮΙ", "ᾮ"},
    {0x1fa7, "ὯΙ", "ᾯ"},
    {0x1fa8, "ὨΙ", "ᾨ"},
    {0x1fa9, "ὩΙ", "ᾩ"},
    {0x1faa, "ὪΙ", "ᾪ"},
    {0x1fab, "ὫΙ", "ᾫ"},
    {0x1fac, "ὬΙ", "ᾬ"},
    {0x1fad, "ὭΙ", "ᾭ"},
    {0x1fae, "ὮΙ", "ᾮ"},
    {0x1faf, "ὯΙ", "ᾯ"},
    {0x1fb2, "ᾺΙ", "Ὰͅ"},
    {0x1fb3, "ΑΙ", "ᾼ"},
    {0x1fb4, "ΆΙ", "Άͅ"},
    {0x1fb6, "Α͂", "Α͂"},
    {0x1fb7, "Α͂Ι", "ᾼ͂"},
    {0x1fbc, "ΑΙ", "ᾼ"},
    {0x1fc2, "ῊΙ", "Ὴͅ"},
    {0x1fc3, "ΗΙ", "ῌ"},
    {0x1fc4, "ΉΙ", "Ήͅ"},
    {0x1fc6, "Η͂", "Η͂"},
    {0x1fc7, "Η͂Ι", "ῌ͂"},
    {0x1fcc, "ΗΙ", "ῌ"},
    {0x1fd2, "Ϊ̀", "Ϊ̀"},
    {0x1fd3, "Ϊ́", "Ϊ́"},
    {0x1fd6, "Ι͂", "Ι͂"},
    {0x1fd7, "Ϊ͂", "Ϊ͂"},
    {0x1fe2, "Ϋ̀", "Ϋ̀"},
    {0x1fe3, "Ϋ́", "Ϋ́"},
    {0x1fe4, "Ρ̓", "Ρ̓"},
    {0x1fe6, "Υ͂", "Υ͂"},
    {0x1fe7, "Ϋ͂", "Ϋ͂"},
    {0x1ff2, "ῺΙ", "Ὼͅ"},
    {0x1ff3, "ΩΙ", "ῼ"},
    {0x1ff4, "ΏΙ", "Ώͅ"},
    {0x1ff6, "Ω͂", "Ω͂"},
    {0x1ff7, "Ω͂Ι", "ῼ͂"},
    {0x1ffc, "ΩΙ", "ῼ"},
    {0xfb00, "FF", "Ff"},
    {0xfb01, "FI", "Fi"},
    {0xfb02, "FL", "Fl"},
    {0xfb03, "FFI", "Ffi"},
    {0xfb04, "FFL", "Ffl"},
    {0xfb05, "ST", "St"},
    {0xfb06, "ST", "St"},
    {0xfb13, "ՄՆ", "Մն"},
    {0xfb14, "ՄԵ", "Մե"},
    {0xfb15, "ՄԻ", "Մի"},
    {0xfb16, "ՎՆ", "Վն"},
    {0xfb17, "ՄԽ", "Մխ"},
    // clang-format on
};

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

}  // namespace

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

bool is_alpha(char32_t c) {
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

bool is_upper(char32_t c) { return utf8proc_isupper(static_cast<utf8proc_int32_t>(c)) != 0; }
bool is_lower(char32_t c) { return utf8proc_islower(static_cast<utf8proc_int32_t>(c)) != 0; }

void append_utf8(std::string& out, char32_t c) {
    utf8proc_uint8_t bytes[4];
    auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

void append_case(std::string& out, char32_t c, Case to) {
    if (to == Case::Lower) {
        if (c == 0x130) {  // İ
            out += "i\xCC\x87";
        } else {
            append_utf8(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
        }
        return;
    }
    auto at = std::lower_bound(std::begin(kSpecialCases), std::end(kSpecialCases), c,
                               [](const SpecialCase& special, char32_t code) { return special.from < code; });
    if (at != std::end(kSpecialCases) && at->from == c) {
        out += to == Case::Upper ? at->upper : at->title;
    } else if (to == Case::Upper) {
        append_utf8(out, static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))));
    } else {
        append_utf8(out, static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c))));
    }
}

}  // namespace godwit::jinja
