#include "hub/words.hpp"

#include "base/ascii.hpp"

namespace godwit {
namespace {

bool is_part(char c) {
    return (lower_case(c) >= 'a' && lower_case(c) <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

}  // namespace

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
