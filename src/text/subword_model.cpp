#include "text/subword_model.hpp"

namespace godwit {

std::string escape_spaces(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    for (char c : text) {
        if (c == ' ')
            out += kEscapedSpace;
        else
            out += c;
    }
    return out;
}

void Fallback::append(const Merger& merged, std::string_view text, std::vector<TokenId>& out) const {
    bool after_known = true;
    merged.for_each([&](const Merger::Symbol& symbol) {
        const bool known = symbol.id != kNoToken;
        if (known) {
            out.push_back(symbol.id);
        } else if (has_bytes_) {
            for (char byte : text.substr(symbol.begin, symbol.size))
                out.push_back(*table_.byte_token(static_cast<uint8_t>(byte)));
        } else if (unknown_ && after_known) {
            out.push_back(*unknown_);
        }
        after_known = known;
    });
}

}  // namespace godwit
