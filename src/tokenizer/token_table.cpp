#include "tokenizer/token_table.hpp"

#include <algorithm>
#include <charconv>

#include "base/printable.hpp"

namespace godwit {
namespace {

/// Four times the longest known (1,024: runs of spaces in GPT-2's alphabet). Bounds the work that a text can cause.
constexpr size_t kMaxTextBytes = 4096;
constexpr size_t kMaxTokens = size_t{1} << 28;

}  // namespace

std::optional<uint8_t> parse_byte_token(std::string_view text) {
    if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return std::nullopt;
    uint8_t byte = 0;
    const auto [end, fault] = std::from_chars(text.data() + 3, text.data() + 5, byte, 16);
    if (fault != std::errc() || end != text.data() + 5) return std::nullopt;
    return byte;
}

Result<TokenTable> TokenTable::build(const std::vector<std::string_view>& texts, std::vector<TokenType> types,
                                     Decode decode, std::string_view where) {
    if (texts.empty()) return error("{}: the vocabulary is empty", where);
    if (!types.empty() && types.size() != texts.size())
        return error("key tokenizer.ggml.token_type: length {} is not the count of tokens, {}", types.size(),
                     texts.size());
    uint64_t bytes = 0;
    for (std::string_view text : texts) bytes += text.size();
    if (texts.size() > kMaxTokens || bytes > UINT32_MAX)
        return error("{}: {} tokens of {} bytes are too many", where, texts.size(), bytes);

    TokenTable table(texts.size(), std::move(types));
    table.texts_.reserve(texts.size(), bytes);
    table.bytes_.reserve(texts.size(), bytes);  // decoding rarely makes a text longer
    uint64_t decoded = 0;
    for (std::string_view text : texts) {
        TRY(table.add(text, where));
        const TokenId id = table.size() - 1;
        const std::string meaning = decode(id, text, table.type(id));
        if ((decoded += meaning.size()) > UINT32_MAX)
            return error("{}: the decoded tokens have more than 4 GiB", where);
        table.bytes_.push_back(meaning);
    }
    return table;
}

Result<void> TokenTable::add(std::string_view text, std::string_view where) {
    const auto id = static_cast<TokenId>(texts_.size());
    if (text.size() > kMaxTextBytes)
        return error("{}: token {} is {} bytes long (at most {})", where, id, text.size(), kMaxTextBytes);
    longest_text_ = std::max(longest_text_, text.size());
    const TokenType kind = type(id);
    plain_.push_back(kind == TokenType::Normal || kind == TokenType::UserDefined || kind == TokenType::Unused);

    if (kind == TokenType::Byte) {
        const std::optional<uint8_t> byte = parse_byte_token(text);
        if (!byte) return error("{}: token {} has the type byte, but '{}' is not <0xNN>", where, id, printable(text));
        if (!byte_tokens_[*byte]) byte_tokens_[*byte] = id;
    }
    if (!text.empty()) {  // an empty one is a gap in the ids: never met in a text
        if (std::optional<TokenId> other = find(text))
            return error("{}: tokens {} and {} are duplicates: '{}'", where, *other, id, printable(text));
        if (!index_.insert(hash_text(text), static_cast<uint32_t>(id)))
            return error("{}: too many tokens with equal hashes (a file made to do harm?)", where);
    }
    texts_.push_back(text);
    return done();
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
