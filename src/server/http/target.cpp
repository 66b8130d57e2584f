#include "server/http/target.hpp"

#include <charconv>

namespace godwit::http {

namespace {

Result<std::string> percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
        char byte = text[i];
        if (byte == '%') {
            uint8_t value = 0;
            const char* digits = text.data() + i + 1;
            if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2)
                return error("request: '%' in the path without two hexadecimal digits after it");
            byte = static_cast<char>(value);
            i += 2;
        }
        if (byte == '\0') return error("request: a zero byte in the path");
        out += byte;
    }
    return out;
}

}  // namespace

Result<Target> parse_target(std::string_view text) {
    Target target;
    if (text == "*") return Target{"*", {}, {}};
    for (std::string_view scheme : {"http://", "https://"}) {
        if (!text.starts_with(scheme)) continue;
        text.remove_prefix(scheme.size());
        const size_t end = std::min(text.find_first_of("/?"), text.size());
        target.host = text.substr(0, end);
        if (target.host.empty()) return error("request: a URL without a host");
        text.remove_prefix(end);
        break;
    }
    const size_t question = text.find('?');
    if (question != text.npos) {
        target.query = text.substr(question + 1);
        text = text.substr(0, question);
    }
    if (text.empty() && !target.host.empty()) text = "/";
    if (!text.starts_with('/')) return error("request: the target must be a path that begins with '/'");
    target.path = TRY(percent_decoded(text));
    return target;
}

}  // namespace godwit::http
