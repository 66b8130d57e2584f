// Letter case of ASCII, in any locale; all other bytes stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace godwit {

inline char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = lower_case(c);
    return out;
}

}  // namespace godwit
