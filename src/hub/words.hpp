// The words of a file's path, as people join them: "MTP/mtp-acme-7b_Q4_K_M" has mtp, mtp, acme, 7b, q4, k and m.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace godwit {

struct Word {
    std::string text;     // in lower case
    char separator = 0;   // the character before it; 0: it is the first
    bool joined = false;  // that character alone stands between it and the word before
};

/// Anything in ASCII but letters and digits separates.
std::vector<Word> words_of(std::string_view path);

}  // namespace godwit
