#include "hub/words.hpp"

namespace godwit {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is_part(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0; }

}  // namespace

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = lower(c);
    return out;
}

std::vector<Word> words_of(std::string_view path) {
    std::vector<Word> words;
    for (size_t at = 0; at < path.size();) {
        size_t begin = at;
        while (at < path.size() && is_part(path[at])) ++at;
        if (at > begin)
            words.push_back({lower_case(path.substr(begin, at - begin)), begin > 0 ? path[begin - 1] : '\0',
                             begin > 1 && is_part(path[begin - 2])});
        else ++at;
    }
    return words;
}

}  // namespace godwit
