#include "hub/quantisation.hpp"

#include <algorithm>

#include "hub/words.hpp"

namespace godwit {
namespace {

constexpr std::string_view kMixed = "UD-";

// Near four bits quality and size meet; below them quality goes, above them memory and speed.
constexpr std::string_view kFast[] = {"Q4_K_M",  "Q4_K_S", "Q4_K_L", "Q4_K_XL", "Q4_K",    "Q4_1", "Q4_0",
                                      "Q4",      "Q5_K_M", "Q5_K_S", "Q5_K_L",  "Q5_K_XL", "Q5_K", "Q5_1",
                                      "Q5_0",    "Q5",     "Q6_K",   "Q6_K_L",  "Q6_K_XL", "Q6",   "Q8_0",
                                      "Q8_K_XL", "Q8",     "BF16",   "F16",     "F32"};
constexpr std::string_view kSlow[] = {"Q3_K_L", "Q3_K_XL", "Q3_K_M", "Q3_K_S", "Q3_K",
                                      "Q2_K_L", "Q2_K_XL", "Q2_K",   "Q2_K_S"};

/// What may follow "Q4", "IQ2", "TQ1".
constexpr std::string_view kTails[] = {"0",   "1",  "4",  "8",  "k",  "s",   "m",  "l",  "xl", "xs",
                                       "xxs", "nl", "ks", "kt", "kl", "kss", "r4", "r8", "moe"};

template <size_t N>
bool contains(const std::string_view (&list)[N], std::string_view text) {
    return std::ranges::find(list, text) != std::end(list);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string upper_case(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    return text;
}

/// "q4" of "Q4_K_M", "iq2", "tq1", "mxfp4".
bool begins_quantised(std::string_view word) {
    if (word == "mxfp4" || word == "nvfp4") return true;
    if (word.starts_with('i') || word.starts_with('t')) word.remove_prefix(1);
    return word.size() == 2 && word[0] == 'q' && is_digit(word[1]);
}

/// The quantisation that begins with the first of some words, and how many of them it takes; 0: none does.
std::pair<std::string, size_t> take_quantisation(std::span<const Word> words) {
    const std::string& first = words[0].text;
    if (first == "f16" || first == "fp16") return {"F16", 1};
    if (first == "f32" || first == "fp32") return {"F32", 1};
    if (first == "bf16") return {"BF16", 1};
    if (!begins_quantised(first)) return {{}, 0};
    std::string name = first;
    size_t count = 1;
    for (; count < words.size() && words[count].joined && contains(kTails, words[count].text); ++count) {
        const Word& tail = words[count];
        if (tail.separator != '_' && (tail.separator != '-' || is_digit(tail.text[0]))) break;
        name += "_" + tail.text;
    }
    return {upper_case(name), count};
}

}  // namespace

std::string find_quantisation(std::string_view path) {
    std::vector<Word> words = words_of(path);
    for (size_t i = words.size(); i-- > 0;) {
        auto [name, count] = take_quantisation(std::span(words).subspan(i));
        if (count == 0) continue;
        return i > 0 && words[i].joined && words[i - 1].text == "ud" ? std::string(kMixed) + name : name;
    }
    return {};
}

std::string as_quantisation(std::string_view text) {
    std::vector<Word> words = words_of(text);
    size_t begin = !words.empty() && words[0].text == "ud" ? 1 : 0;
    if (begin == words.size()) return {};
    auto [name, count] = take_quantisation(std::span(words).subspan(begin));
    if (count != words.size() - begin) return {};
    return begin == 1 ? std::string(kMixed) + name : name;
}

std::span<const std::string_view> fast_quantisations() { return kFast; }
std::span<const std::string_view> slow_quantisations() { return kSlow; }

size_t preference(std::string_view quantisation) {
    constexpr size_t kUnnamed = 2 * std::size(kFast) + 2 * std::size(kSlow), kNone = kUnnamed + 1;
    if (quantisation.empty()) return kUnnamed;
    bool is_mixed = quantisation.starts_with(kMixed);
    if (is_mixed) quantisation.remove_prefix(kMixed.size());
    size_t before = 0;
    for (std::span<const std::string_view> list : {fast_quantisations(), slow_quantisations()}) {
        auto place = static_cast<size_t>(std::ranges::find(list, quantisation) - list.begin());
        if (place < list.size()) return before + (is_mixed ? list.size() : 0) + place;
        before += 2 * list.size();
    }
    return kNone;
}

bool may_run(std::string_view quantisation) { return preference(quantisation) <= preference({}); }

}  // namespace godwit
