#include "text/letter_case.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/utf8.hpp"
#include "text/code_point_ranges.hpp"

namespace godwit {

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

// Unicode's PropList.txt.
constexpr CodePointRange kOtherLower[] = {
    {0x00aa, 0x00aa}, {0x00ba, 0x00ba}, {0x02b0, 0x02b8},   {0x02c0, 0x02c1},   {0x02e0, 0x02e4},   {0x0345, 0x0345},
    {0x037a, 0x037a}, {0x1d2c, 0x1d6a}, {0x1d78, 0x1d78},   {0x1d9b, 0x1dbf},   {0x2071, 0x2071},   {0x207f, 0x207f},
    {0x2090, 0x209c}, {0x2170, 0x217f}, {0x24d0, 0x24e9},   {0x2c7c, 0x2c7d},   {0xa69c, 0xa69d},   {0xa770, 0xa770},
    {0xa7f8, 0xa7f9}, {0xab5c, 0xab5f}, {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107b0}, {0x107b2, 0x107ba}};
constexpr CodePointRange kOtherUpper[] = {
    {0x2160, 0x216f}, {0x24b6, 0x24cf}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}};
// Signs inside words (Word_Break: MidLetter, MidNumLet, Single_Quote).
constexpr CodePointRange kInsideWords[] = {{0x0027, 0x0027}, {0x002e, 0x002e}, {0x003a, 0x003a}, {0x00b7, 0x00b7},
                                           {0x0387, 0x0387}, {0x055f, 0x055f}, {0x05f4, 0x05f4}, {0x2018, 0x2019},
                                           {0x2024, 0x2024}, {0x2027, 0x2027}, {0xfe13, 0xfe13}, {0xfe52, 0xfe52},
                                           {0xfe55, 0xfe55}, {0xff07, 0xff07}, {0xff0e, 0xff0e}, {0xff1a, 0xff1a}};

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

void append_fold(std::string& out, char32_t c) {
    utf8proc_int32_t parts[8];
    int bound_class = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 8, UTF8PROC_CASEFOLD, &bound_class);
    for (utf8proc_ssize_t i = 0; i < count; ++i) append_utf8(out, static_cast<char32_t>(parts[i]));
}

}  // namespace

bool is_upper(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LU || is_in(kOtherUpper, c); }
bool is_lower(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LL || is_in(kOtherLower, c); }
bool is_title(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LT; }

bool is_case_ignorable(char32_t c) {
    switch (category(c)) {
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_ME:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_SK:
            return true;
        default:
            return is_in(kInsideWords, c);
    }
}

void append_case(std::string& out, char32_t c, Case to) {
    const auto code = static_cast<utf8proc_int32_t>(c);
    if (to == Case::Fold) return append_fold(out, c);
    if (to == Case::Lower) {
        if (c == 0x130) {  // İ: the one whose lower case is two characters
            out += "i\u0307";
        } else {
            append_utf8(out, static_cast<char32_t>(utf8proc_tolower(code)));
        }
        return;
    }
    auto at = std::lower_bound(std::begin(kSpecialCases), std::end(kSpecialCases), c,
                               [](const SpecialCase& special, char32_t wanted) { return special.from < wanted; });
    if (at != std::end(kSpecialCases) && at->from == c) {
        out += to == Case::Upper ? at->upper : at->title;
    } else {
        append_utf8(out, static_cast<char32_t>(to == Case::Upper ? utf8proc_toupper(code) : utf8proc_totitle(code)));
    }
}

}  // namespace godwit
