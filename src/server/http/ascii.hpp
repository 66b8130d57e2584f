// Names in HTTP are ASCII, in either case, in any locale.
#pragma once

#include <string>
#include <string_view>

namespace godwit::http {

inline std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

}  // namespace godwit::http
