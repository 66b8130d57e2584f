#include "base/printable.hpp"

#include <fmt/format.h>

#include <iterator>

namespace godwit {

std::string printable(std::string_view text, size_t max_bytes) {
    std::string out;
    for (char c : text.substr(0, max_bytes)) {
        if (c >= 0x20 && c <= 0x7e) {
            out += c;
        } else {
            fmt::format_to(std::back_inserter(out), "\\x{:02X}", static_cast<unsigned char>(c));
        }
    }
    if (text.size() > max_bytes) out += "…";
    return out;
}

}  // namespace godwit
