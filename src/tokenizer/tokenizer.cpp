#include "tokenizer/tokenizer.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "tokenizer/special_finder.hpp"

namespace godwit {
namespace {

/// Whether all of text[begin, end) was written by the template. The segments are in order.
bool template_alone(std::span<const Segment> segments, size_t begin, size_t end) {
    auto segment =
        std::partition_point(segments.begin(), segments.end(), [&](const Segment& s) { return s.end <= begin; });
    while (segment != segments.end() && segment->begin < end && segment->origin == Origin::Template) ++segment;
    return segment == segments.end() || segment->begin >= end;
}

/// A character that words are made of: letters, marks, digits, connectors.
bool ends_in_word(std::string_view text) {
    size_t last = text.size();
    while (last > 0 && text.size() - last < 4 && (text[--last] & 0xC0) == 0x80) {
    }
    return !text.empty() && is_word_character(next_utf8(text.substr(last)).code_point);
}

bool inside_word(std::string_view text, const SpecialMatcher::Match& match) {
    const std::string_view after = text.substr(match.begin + match.size);
    return ends_in_word(text.substr(0, match.begin)) ||
           (!after.empty() && is_word_character(next_utf8(after).code_point));
}

}  // namespace

/// Takes special tokens, found by find(from), out of `text`; encode(begin, end) for the text between them.
template <class Find, class Encode>
void Tokenizer::cut_specials(std::string_view text, Find find, Encode encode, std::vector<TokenId>& out) const {
    size_t begin = 0;  // of what is not encoded yet
    for (size_t from = 0; from < text.size();) {
        const auto special = find(from);
        if (!special) break;
        from = special->begin + special->size;
        if (parts_.single_word[special->id] && inside_word(text, *special)) continue;
        // One that lies in the white space which the last one took is a token all the same.
        std::string_view before = text.substr(begin, std::max(special->begin, begin) - begin);
        if (parts_.strip_left[special->id]) before = strip_end(before);
        encode(begin, begin + before.size());
        out.push_back(special->id);
        const size_t blank = parts_.strip_right[special->id] ? leading_space(text.substr(from)) : 0;
        begin = std::max(begin, from + blank);
    }
    encode(begin, text.size());
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, Specials specials, EncodeWork* work) const {
    const Segment whole{0, text.size(), specials == Specials::All ? Origin::Template : Origin::Value};
    return encode(text, std::span(&whole, 1), work);
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, std::span<const Segment> segments,
                                       EncodeWork* work) const {
    CHECK(text.size() <= INT32_MAX);
    Output out;
    const SpecialMatcher& in_templates =
        template_alone(segments, 0, text.size()) ? parts_.in_templates : parts_.beside_values;
    SpecialFinder finder(text, segments, in_templates, parts_.in_values);
    const auto encode_between = [&](size_t begin, size_t end) {
        if (begin == end) return;
        encode_stretch({std::string(text.substr(begin, end - begin)), begin == 0}, template_alone(segments, begin, end),
                       out);
    };
    cut_specials(text, [&](size_t from) { return finder.find(from); }, encode_between, out.ids);
    if (work) {
        work->pieces += out.work.pieces;
        work->queue_pushes += out.work.queue_pushes;
    }
    return std::move(out.ids);
}

void Tokenizer::encode_stretch(Stretch stretch, bool in_template, Output& out) const {
    for (const auto& normalizer : parts_.normalizers) normalizer->apply(stretch);
    const SpecialMatcher& matcher = in_template ? parts_.normalized_in_templates : parts_.normalized_in_values;
    const std::string_view text = stretch.text;
    const auto find = [&](size_t from) {
        auto match = matcher.find(text.substr(from));
        if (match) match->begin += from;
        return match;
    };
    const auto encode_between = [&](size_t begin, size_t end) {
        if (begin == end) return;
        Pieces pieces{std::string(text.substr(begin, end - begin)), {end - begin}, stretch.at_start && begin == 0};
        for (const auto& splitter : parts_.splitters) splitter->apply(pieces);
        parts_.model->encode(pieces, out.ids, out.work);
    };
    cut_specials(text, find, encode_between, out.ids);
}

std::string_view Tokenizer::bytes(TokenId id, bool specials) const {
    CHECK(id >= 0 && id < size());
    const TokenType kind = type(id);
    if (!specials && (kind == TokenType::Control || kind == TokenType::Unknown)) return {};
    return parts_.table->bytes(id);
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool specials) const {
    std::vector<TokenId> shown;
    for (TokenId id : ids)
        if (!bytes(id, specials).empty()) shown.push_back(id);
    std::string out;
    size_t to_strip = parts_.decoder.strip_count;
    for (size_t i = 0; i < shown.size(); ++i) {
        const bool first = i == 0, last = i + 1 == shown.size();
        if (!first && !last && to_strip == 0) {
            out += parts_.table->bytes(shown[i]);
            continue;
        }
        const TokenPlace place{.first = first, .last = last, .type = type(shown[i])};
        std::string part = parts_.decode(shown[i], parts_.table->text(shown[i]), place);
        if (to_strip > 0) parts_.decoder.strip(part, to_strip);
        out += part;
    }
    return out;
}

Result<void> Tokenizer::check(std::span<const TokenId> ids) const {
    for (TokenId id : ids)
        if (id < 0 || id >= size()) return error("token {} is outside the vocabulary of {}", id, size());
    return done();
}

}  // namespace godwit
