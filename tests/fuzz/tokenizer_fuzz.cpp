// The input is a vocabulary and a text: any vocabulary is refused in one line or makes a tokenizer that encodes any
// text into ids which exist, and gives back the bytes where the vocabulary has them all. Lines: "model pre name", then
// one token, merge or template a line by its first letter, then after an empty line the text. The 256 byte tokens (and
// ▁) are there from the start unless the model line ends in '-'.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "tokenizer/byte_alphabet.hpp"
#include "tokenizer/tokenizer.hpp"

namespace {

using godwit::TokenType;

std::string_view take_line(std::string_view& input) {
    const size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    return line;
}

std::string_view take_word(std::string_view& line) {
    const size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

void add_token(godwit::Vocabulary& v, std::string_view text, TokenType type, float score) {
    v.tokens.push_back(text);
    v.types.push_back(type);
    v.scores.push_back(score);
}

void add_bytes(godwit::Vocabulary& v, std::deque<std::string>& strings) {
    for (int byte = 0; byte < 256; ++byte) {
        if (v.model == "gpt2") add_token(v, godwit::byte_letter(static_cast<uint8_t>(byte)), TokenType::Normal, 0);
        else add_token(v, strings.emplace_back(fmt::format("<0x{:02X}>", byte)), TokenType::Byte, 0);
    }
    if (v.model != "gpt2") add_token(v, godwit::kEscapedSpace, TokenType::Normal, 0);  // else spaces do not come back
}

/// One line of the vocabulary; what it means is in its first character.
void add_line(godwit::Vocabulary& v, std::string_view line) {
    const std::string_view rest = line.substr(1);
    const auto number = static_cast<uint32_t>(rest.empty() ? 0 : static_cast<uint8_t>(rest[0]));
    switch (line[0]) {
        case 'm':
            v.merges.push_back(rest);
            break;
        case 't':
            v.chat_templates += rest;
            break;
        case 'b':
            v.bos = number;
            break;
        case 'e':
            v.eos = number;
            break;
        case 'u':
            v.unknown = number;
            break;
        case 'B':
            v.add_bos = number & 1;
            break;
        case 'c':
            v.charsmap = rest;
            break;
        case 'S':
            v.add_space_prefix = number & 1;
            break;
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
            add_token(v, rest, static_cast<TokenType>(line[0] - '0'), static_cast<float>(v.tokens.size() % 7));
            break;
        default:
            add_token(v, line, TokenType::Normal, -static_cast<float>(line.size()));
            break;
    }
}

void check_encoding(const godwit::Tokenizer& tokenizer, std::string_view text, godwit::Specials specials, bool merges,
                    bool exact) {
    godwit::EncodeWork work;
    const auto ids = tokenizer.encode(text, specials, &work);
    if (merges) CHECK(work.queue_pushes <= 9 * (text.size() + 1));  // ▁ has three bytes
    for (godwit::TokenId id : ids) CHECK(id >= 0 && id < tokenizer.size());
    if (exact) CHECK(tokenizer.decode(ids, true) == text);
    else (void)tokenizer.decode(ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    std::deque<std::string> strings;
    godwit::Vocabulary v;
    std::string_view first = take_line(input);
    v.model = take_word(first);
    v.pre = take_word(first);
    v.general_name = take_word(first);
    const bool all_bytes = first != "-";
    if (all_bytes) add_bytes(v, strings);
    bool user_defined = false;
    while (!input.empty()) {
        const std::string_view line = take_line(input);
        if (line.empty()) break;
        user_defined |= line[0] == '4';
        add_line(v, line);
    }
    // A literal ▁ comes back as a space, text after a user-defined token begins anew, and a gpt2 tokenizer with a
    // pre-tokenizer of raw text has no use for the byte letters.
    const auto* spec = godwit::find_pretokenizer(v.pre);
    const bool letters = v.model == "gpt2" && (!spec || spec->spelling == godwit::Spelling::ByteLetters);
    const bool merges = v.model != "bert" && v.model != "t5";
    const bool escaped = merges && v.model != "gpt2" && input.find(godwit::kEscapedSpace) == std::string_view::npos;
    const bool exact = all_bytes && !user_defined && (letters || escaped);
    auto made = godwit::make_tokenizer(std::move(v));
    if (!made.ok()) {
        CHECK(made.error().message.find('\n') == std::string::npos);
        return 0;
    }
    check_encoding(*made.value(), input, godwit::Specials::None, merges, exact);
    check_encoding(*made.value(), input, godwit::Specials::All, merges, false);
    for (godwit::TokenId id = 0; id < made.value()->size(); ++id) {
        (void)made.value()->bytes(id, true).size();
        (void)made.value()->ends_generation(id);
    }
    return 0;
}
