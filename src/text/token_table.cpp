#include "text/token_table.hpp"

#include <algorithm>
#include <charconv>

#include "base/printable.hpp"
#include "text/byte_alphabet.hpp"

namespace godwit {
namespace {

/// Four times the longest known (1,024: runs of spaces in GPT-2's alphabet). Bounds the work that a text can cause.
constexpr size_t kMaxTextBytes = 4096;
constexpr size_t kMaxTokens = size_t{1} << 28;

/// N of "<0xN>", two hexadecimal digits.
std::optional<uint8_t> parse_byte_token(std::string_view text) {
    if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return std::nullopt;
    uint8_t byte = 0;
    const auto [end, fault] = std::from_chars(text.data() + 3, text.data() + 5, byte, 16);
    if (fault != std::errc() || end != text.data() + 5) return std::nullopt;
    return byte;
}

std::string unescape(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const bool space = text.starts_with(kEscapedSpace);
        out += space ? ' ' : text[0];
        text.remove_prefix(space ? kEscapedSpace.size() : 1);
    }
    return out;
}

}  // namespace

Result<TokenTable> TokenTable::build(const std::vector<std::string_view>& texts, std::vector<TokenType> types,
                                     Spelling spelling) {
    if (texts.empty()) return error("key tokenizer.ggml.tokens: the vocabulary is empty");
    if (!types.empty() && types.size() != texts.size())
        return error("key tokenizer.ggml.token_type: length {} is not the count of tokens, {}", types.size(),
                     texts.size());
    uint64_t bytes = 0;
    for (std::string_view text : texts) bytes += text.size();
    if (texts.size() > kMaxTokens || bytes > UINT32_MAX)
        return error("key tokenizer.ggml.tokens: {} tokens of {} bytes are too many", texts.size(), bytes);

    TokenTable table(texts.size(), std::move(types));
    table.texts_.reserve(texts.size(), bytes);
    table.bytes_.reserve(texts.size(), bytes);  // decoding makes no text longer
    for (std::string_view text : texts) {
        TRY(table.add(text));
        table.bytes_.push_back(table.decode(table.size() - 1, spelling));
    }
    return table;
}

Result<void> TokenTable::add(std::string_view text) {
    const auto id = static_cast<TokenId>(texts_.size());
    if (text.size() > kMaxTextBytes)
        return error("key tokenizer.ggml.tokens: token {} is {} bytes long (at most {})", id, text.size(),
                     kMaxTextBytes);
    longest_text_ = std::max(longest_text_, text.size());
    const TokenType kind = type(id);
    plain_.push_back(kind == TokenType::Normal || kind == TokenType::UserDefined || kind == TokenType::Unused);

    if (kind == TokenType::Byte) {
        const std::optional<uint8_t> byte = parse_byte_token(text);
        if (!byte)
            return error("key tokenizer.ggml.tokens: token {} has the type byte, but '{}' is not <0xNN>", id,
                         printable(text));
        if (!byte_tokens_[*byte]) byte_tokens_[*byte] = id;
    }
    if (!text.empty()) {  // an empty one is a gap in the ids: never met in a text
        if (std::optional<TokenId> other = find(text))
            return error("key tokenizer.ggml.tokens: tokens {} and {} are duplicates: '{}'", *other, id,
                         printable(text));
        if (!index_.insert(hash_text(text), static_cast<uint32_t>(id)))
            return error("key tokenizer.ggml.tokens: too many tokens with equal hashes (a file made to do harm?)");
    }
    texts_.push_back(text);
    return done();
}

/// The bytes of `id`, whose text is there already.
std::string TokenTable::decode(TokenId id, Spelling spelling) const {
    const std::string_view text = texts_[id];
    const TokenType kind = type(id);
    if (kind == TokenType::Byte) return std::string(1, static_cast<char>(*parse_byte_token(text)));
    if (kind == TokenType::Control || kind == TokenType::Unknown) return std::string(text);
    if (spelling == Spelling::EscapedSpace) return unescape(text);
    if (spelling == Spelling::ByteLetters && kind != TokenType::UserDefined) {
        // A token with any other character is meant as it stands (as Hugging Face's ByteLevel decoder takes it).
        if (std::optional<std::string> bytes = decode_byte_letters(text)) return *std::move(bytes);
    }
    return std::string(text);
}

std::optional<TokenId> TokenTable::find(std::string_view text) const {
    const uint32_t found = index_.find(hash_text(text), [&](uint32_t id) { return texts_[id] == text; });
    if (found == FlatIndex::kNone) return std::nullopt;
    return static_cast<TokenId>(found);
}

std::optional<TokenId> TokenTable::find_plain(std::string_view text) const {
    const std::optional<TokenId> found = find(text);
    return found && plain_[*found] ? found : std::nullopt;
}

bool TokenTable::has_all_bytes() const {
    return std::all_of(byte_tokens_.begin(), byte_tokens_.end(), [](const auto& token) { return token.has_value(); });
}

}  // namespace godwit
