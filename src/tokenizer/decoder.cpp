#include "tokenizer/decoder.hpp"

#include <utility>

#include "tokenizer/byte_alphabet.hpp"
#include "tokenizer/normalizer.hpp"
#include "tokenizer/token_table.hpp"

namespace godwit {
namespace {

class ByteLetters final : public DecoderStep {
public:
    /// A token with any other character is meant as it stands.
    void apply(std::string& token, const TokenPlace& place) const override {
        if (place.type == TokenType::UserDefined || place.type == TokenType::Control ||
            place.type == TokenType::Unknown)
            return;
        if (std::optional<std::string> bytes = decode_byte_letters(token)) token = *std::move(bytes);
    }
};

class ByteFallback final : public DecoderStep {
public:
    explicit ByteFallback(bool by_type) : by_type_(by_type) {}
    void apply(std::string& token, const TokenPlace& place) const override {
        if (by_type_ && place.type != TokenType::Byte) return;
        if (const auto byte = parse_byte_token(token)) token.assign(1, static_cast<char>(*byte));
    }

private:
    bool by_type_;
};

class EscapedSpace final : public DecoderStep {
public:
    explicit EscapedSpace(bool drop_prefix) : drop_prefix_(drop_prefix) {}
    void apply(std::string& token, const TokenPlace& place) const override {
        const bool drop = drop_prefix_ && place.first && token.starts_with(kEscapedSpace);
        token = replace_all(std::string_view(token).substr(drop ? kEscapedSpace.size() : 0), kEscapedSpace, " ");
    }

private:
    bool drop_prefix_;
};

class Metaspace final : public DecoderStep {
public:
    Metaspace(std::string replacement, bool drop_first)
        : replacement_(std::move(replacement)), drop_first_(drop_first) {}
    void apply(std::string& token, const TokenPlace& place) const override {
        token = replace_all(token, replacement_, place.first && drop_first_ ? "" : " ");
    }

private:
    std::string replacement_;
    bool drop_first_;
};

class WordPiece final : public DecoderStep {
public:
    WordPiece(std::string prefix, bool cleanup) : prefix_(std::move(prefix)), cleanup_(cleanup) {}
    void apply(std::string& token, const TokenPlace& place) const override {
        if (!place.first) {
            if (token.starts_with(prefix_)) token.erase(0, prefix_.size());
            else token.insert(token.begin(), ' ');
        }
        if (!cleanup_) return;
        constexpr std::pair<std::string_view, std::string_view> kRules[] = {
            {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
            {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
        for (const auto& [dirty, clean] : kRules) token = replace_all(token, dirty, clean);
    }

private:
    std::string prefix_;
    bool cleanup_;
};

class BpeSuffix final : public DecoderStep {
public:
    explicit BpeSuffix(std::string suffix) : suffix_(std::move(suffix)) {}
    void apply(std::string& token, const TokenPlace& place) const override {
        token = replace_all(token, suffix_, place.last ? "" : " ");
    }

private:
    std::string suffix_;
};

template <class Pattern>
class Replace final : public DecoderStep {
public:
    Replace(Pattern pattern, std::string content) : pattern_(std::move(pattern)), content_(std::move(content)) {}
    void apply(std::string& token, const TokenPlace&) const override { token = replace_all(token, pattern_, content_); }

private:
    Pattern pattern_;
    std::string content_;
};

class Strip final : public DecoderStep {
public:
    Strip(std::string content, size_t start, size_t stop) : content_(std::move(content)), start_(start), stop_(stop) {}
    void apply(std::string& token, const TokenPlace&) const override {
        std::string_view text = token;
        for (size_t i = 0; i < start_ && text.starts_with(content_); ++i) text.remove_prefix(content_.size());
        for (size_t i = 0; i < stop_ && text.ends_with(content_); ++i) text.remove_suffix(content_.size());
        token = std::string(text);
    }

private:
    std::string content_;
    size_t start_, stop_;
};

class Joining final : public DecoderStep {
public:
    void apply(std::string& token, const TokenPlace& place) const override {
        if (!place.first) token.insert(token.begin(), ' ');
    }
};

}  // namespace

void Decoder::strip(std::string& part, size_t& left) const {
    std::string_view rest = part;
    while (left > 0 && rest.starts_with(strip_content)) {
        rest.remove_prefix(strip_content.size());
        --left;
    }
    if (!rest.empty()) left = 0;
    part = std::string(rest);
}

std::unique_ptr<DecoderStep> make_byte_letters_decoder() { return std::make_unique<ByteLetters>(); }
std::unique_ptr<DecoderStep> make_byte_fallback_decoder(bool by_type) {
    return std::make_unique<ByteFallback>(by_type);
}
std::unique_ptr<DecoderStep> make_joining_decoder() { return std::make_unique<Joining>(); }

std::unique_ptr<DecoderStep> make_escaped_space_decoder(bool drop_prefix) {
    return std::make_unique<EscapedSpace>(drop_prefix);
}

std::unique_ptr<DecoderStep> make_metaspace_decoder(std::string replacement, bool drop_first) {
    return std::make_unique<Metaspace>(std::move(replacement), drop_first);
}

std::unique_ptr<DecoderStep> make_wordpiece_decoder(std::string continuing_prefix, bool cleanup) {
    return std::make_unique<WordPiece>(std::move(continuing_prefix), cleanup);
}

std::unique_ptr<DecoderStep> make_bpe_decoder(std::string suffix) {
    return std::make_unique<BpeSuffix>(std::move(suffix));
}

std::unique_ptr<DecoderStep> make_replace_decoder(std::string pattern, std::string content) {
    return std::make_unique<Replace<std::string>>(std::move(pattern), std::move(content));
}

std::unique_ptr<DecoderStep> make_replace_decoder(Regex pattern, std::string content) {
    return std::make_unique<Replace<Regex>>(std::move(pattern), std::move(content));
}

std::unique_ptr<DecoderStep> make_strip_decoder(std::string content, size_t start, size_t stop) {
    return std::make_unique<Strip>(std::move(content), start, stop);
}

}  // namespace godwit
