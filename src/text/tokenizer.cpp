#include "text/tokenizer.hpp"

#include "base/check.hpp"
#include "base/utf8.hpp"

namespace godwit {
namespace {

/// `text` without the white space at its end.
std::string_view strip_end(std::string_view text) {
    while (!text.empty()) {
        size_t last = text.size() - 1;
        while (last > 0 && text.size() - last < 4 && (text[last] & 0xC0) == 0x80) --last;
        const Utf8Unit unit = next_utf8(text.substr(last));
        const bool whole = unit.form == Utf8Form::WellFormed && last + unit.size == text.size();  // no stray byte behind it
        if (!whole || !is_white_space(unit.code_point)) break;
        text.remove_suffix(unit.size);
    }
    return text;
}

/// Length of the white space that `text` begins with.
size_t leading_space(std::string_view text) {
    size_t size = 0;
    while (size < text.size()) {
        const Utf8Unit unit = next_utf8(text.substr(size));
        if (unit.form != Utf8Form::WellFormed || !is_white_space(unit.code_point)) break;
        size += unit.size;
    }
    return size;
}

}  // namespace

std::vector<TokenId> Tokenizer::encode(std::string_view text, Specials specials, EncodeWork* work) const {
    CHECK(text.size() <= INT32_MAX);
    EncodeWork uncounted;
    const SpecialMatcher& matcher = specials == Specials::All ? *in_templates_ : *in_values_;
    std::vector<TokenId> out;
    while (!text.empty()) {
        const auto special = matcher.find(text);
        std::string_view before = text.substr(0, special ? special->begin : text.size());
        if (special && strip_left_[special->id]) before = strip_end(before);
        if (!before.empty()) model_->encode(before, out, work ? *work : uncounted);
        if (!special) break;
        out.push_back(special->id);
        text.remove_prefix(special->begin + special->size);
        if (strip_right_[special->id]) text.remove_prefix(leading_space(text));
    }
    return out;
}

std::string_view Tokenizer::bytes(TokenId id, bool specials) const {
    CHECK(id >= 0 && id < size());
    const TokenType kind = type(id);
    if (!specials && (kind == TokenType::Control || kind == TokenType::Unknown)) return {};
    return table_->bytes(id);
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool specials) const {
    std::string out;
    bool first = true;
    for (TokenId id : ids) {
        std::string_view piece = bytes(id, specials);
        if (piece.empty()) continue;
        if (first && prefix_space_at(id)) piece.remove_prefix(1);
        first = false;
        out += piece;
    }
    return out;
}

/// The token may begin with the space that encoding put in front of the text.
bool Tokenizer::prefix_space_at(TokenId id) const {
    return prefix_space_ && table_->is_plain(id) && table_->text(id).starts_with(kEscapedSpace);
}

}  // namespace godwit
