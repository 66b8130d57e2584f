#include "base/printable.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/utf8.hpp"

namespace godwit {
namespace {

struct Range {
    char32_t first, last;
};

/// Code points that move the cursor, start a line, or change what stands beside them: controls, line and paragraph
/// separators, zero-width and bidirectional marks, the byte order mark, private use, tags and beyond.
constexpr Range kHidden[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},       {0x61C, 0x61C},
                             {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},   {0xE000, 0xF8FF},
                             {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFF}, {0xE0000, 0x10FFFF}};

bool is_shown(const Utf8Unit& unit) {
    if (unit.form != Utf8Form::WellFormed) return false;
    for (const Range& range : kHidden)
        if (unit.code_point >= range.first && unit.code_point <= range.last) return false;
    return true;
}

}  // namespace

std::string printable(std::string_view text, size_t max_bytes) {
    std::string out;
    std::string_view rest = text;
    while (!rest.empty() && text.size() - rest.size() < max_bytes) {
        Utf8Unit unit = next_utf8(rest);
        if (is_shown(unit)) {
            out += rest.substr(0, unit.size);
        } else {
            for (unsigned char byte : rest.substr(0, unit.size))
                fmt::format_to(std::back_inserter(out), "\\x{:02X}", byte);
        }
        rest.remove_prefix(unit.size);
    }
    if (!rest.empty()) out += "…";
    return out;
}

}  // namespace godwit
