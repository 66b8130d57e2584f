// What the string methods and the text filters share. Everything keeps the origin of each byte.
#pragma once

#include "template/runtime.hpp"
#include "text/letter_case.hpp"

namespace godwit::jinja {

/// text.find(wanted, begin), in linear time.
size_t find_bytes(std::string_view text, std::string_view wanted, size_t begin = 0);
/// text.rfind(wanted) by the naive search: its worst case is paid for in steps.
Result<size_t> find_last_bytes(Runtime& runtime, std::string_view text, std::string_view wanted);
/// Strips any of the code points of `characters` (none: white space) from the ends.
TracedText strip(const TracedText& text, const std::optional<std::string_view>& characters, bool left, bool right);
TracedText change_case(const TracedText& text, Case to);
/// Title case of the words that `str.title` (letters only) or the filter (`title`: after spaces and brackets) sees.
TracedText capitalize(const TracedText& text);
TracedText title_method(const TracedText& text);
TracedText title_filter(const TracedText& text);
TracedText swap_case(const TracedText& text);
/// text.replace(old, with, count); count < 0: all.
Result<TracedText> replace(Runtime& runtime, const TracedText& text, std::string_view old, const TracedText& with,
                           int64_t count);
/// text.splitlines().
std::vector<TracedText> split_lines(const TracedText& text, bool keep_ends);
/// Padding to `width` code points.
enum class Align { Left, Right, Center };
Result<TracedText> align(Runtime& runtime, const TracedText& text, int64_t width, const TracedText& fill, Align to);

}  // namespace godwit::jinja
