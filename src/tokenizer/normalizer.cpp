#include "tokenizer/normalizer.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "text/letter_case.hpp"
#include "tokenizer/byte_alphabet.hpp"

namespace godwit {
namespace {

/// Appends what becomes of a character whose UTF-8 is `bytes`.
using MapCharacter = void (*)(char32_t c, std::string_view bytes, std::string& out);

class CharacterNormalizer final : public Normalizer {
public:
    explicit CharacterNormalizer(MapCharacter map) : map_(map) {}

    void apply(Stretch& stretch) const override {
        std::string out;
        out.reserve(stretch.text.size());
        std::string_view rest = stretch.text;
        for (bool first = true; !rest.empty(); first = false) {
            const Utf8Unit unit = next_utf8(rest);
            const std::string_view bytes = rest.substr(0, unit.size);
            if (unit.form == Utf8Form::WellFormed) map_(unit.code_point, bytes, out);
            else out += bytes;
            if (first && out.empty()) stretch.at_start = false;
            rest.remove_prefix(unit.size);
        }
        stretch.text = std::move(out);
    }

private:
    MapCharacter map_;
};

std::unique_ptr<Normalizer> by_character(MapCharacter map) { return std::make_unique<CharacterNormalizer>(map); }

/// BERT's own list of blocks.
bool is_chinese(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
           (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

void clean_character(char32_t c, std::string_view bytes, std::string& out) {
    const bool blank = c == '\t' || c == '\n' || c == '\r';
    if (c == 0 || c == 0xFFFD || (is_other(c) && !blank)) return;
    if (is_white_space(c)) out += ' ';
    else out += bytes;
}

/// SentencePiece's nmt rules.
void nmt_character(char32_t c, std::string_view bytes, std::string& out) {
    if ((c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F) return;
    const bool blank = c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
                       c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
    if (blank) out += ' ';
    else out += bytes;
}

class FormNormalizer final : public Normalizer {
public:
    explicit FormNormalizer(NormalForm form) : form_(form) {}
    void apply(Stretch& stretch) const override { stretch.text = normal_form(stretch.text, form_); }

private:
    NormalForm form_;
};

class StripNormalizer final : public Normalizer {
public:
    StripNormalizer(bool left, bool right) : left_(left), right_(right) {}
    void apply(Stretch& stretch) const override {
        std::string_view text = stretch.text;
        if (right_) text = strip_end(text);
        const size_t blank = left_ ? leading_space(text) : 0;
        if (blank > 0) stretch.at_start = false;
        stretch.text = std::string(text.substr(blank));
    }

private:
    bool left_, right_;
};

class PrependNormalizer final : public Normalizer {
public:
    explicit PrependNormalizer(std::string prefix) : prefix_(std::move(prefix)) {}
    void apply(Stretch& stretch) const override {
        if (!stretch.text.empty()) stretch.text.insert(0, prefix_);
    }

private:
    std::string prefix_;
};

class ByteLettersNormalizer final : public Normalizer {
public:
    void apply(Stretch& stretch) const override {
        std::string letters;
        letters.reserve(stretch.text.size() + stretch.text.size() / 2);
        for (char byte : stretch.text) letters += byte_letter(static_cast<uint8_t>(byte));
        stretch.text = std::move(letters);
    }
};

template <class Pattern>
class ReplaceNormalizer final : public Normalizer {
public:
    ReplaceNormalizer(Pattern pattern, std::string content)
        : pattern_(std::move(pattern)), content_(std::move(content)) {}
    void apply(Stretch& stretch) const override {
        std::string out = replace_all(stretch.text, pattern_, content_);
        if (content_.empty() && !out.empty() && !stretch.text.starts_with(out.substr(0, 1))) stretch.at_start = false;
        stretch.text = std::move(out);
    }

private:
    Pattern pattern_;
    std::string content_;
};

/// As Hugging Face applies a charsmap: a grapheme cluster of less than 6 bytes as a whole, where that has a
/// replacement, else each character alone. (SentencePiece takes the longest match; its vocabularies are published with
/// this.)
class PrecompiledNormalizer final : public Normalizer {
public:
    explicit PrecompiledNormalizer(Charsmap map) : map_(std::move(map)) {}

    void apply(Stretch& stretch) const override {
        std::string out;
        out.reserve(stretch.text.size());
        std::string_view rest = stretch.text;
        for (bool first = true; !rest.empty(); first = false) {
            const size_t size = cluster(rest);
            append(rest.substr(0, size), out);
            if (first && out.empty()) stretch.at_start = false;
            rest.remove_prefix(size);
        }
        stretch.text = std::move(out);
    }

private:
    /// Bytes of the grapheme cluster, or of the ill-formed unit, that `text` begins with.
    static size_t cluster(std::string_view text) {
        Utf8Unit unit = next_utf8(text);
        size_t size = unit.size;
        if (unit.form != Utf8Form::WellFormed) return size;
        for (int32_t state = 0; size < text.size(); size += unit.size) {
            const char32_t before = unit.code_point;
            unit = next_utf8(text.substr(size));
            if (unit.form != Utf8Form::WellFormed || grapheme_break(before, unit.code_point, state)) break;
        }
        return size;
    }

    void append(std::string_view cluster, std::string& out) const {
        constexpr size_t kLongestWhole = 5;
        if (cluster.size() <= kLongestWhole) {
            if (const auto whole = map_.find(cluster)) {
                out += *whole;
                return;
            }
        }
        while (!cluster.empty()) {
            const std::string_view character = cluster.substr(0, next_utf8(cluster).size);
            out += map_.find(character).value_or(character);
            cluster.remove_prefix(character.size());
        }
    }

    Charsmap map_;
};

}  // namespace

void add_bert_normalizer(Normalizers& out, const BertNormalization& settings) {
    if (settings.clean_text) out.push_back(by_character(clean_character));
    if (settings.chinese_characters)
        out.push_back(by_character([](char32_t c, std::string_view bytes, std::string& to) {
            if (is_chinese(c)) to.append(" ").append(bytes).append(" ");
            else to += bytes;
        }));
    if (settings.strip_accents) {
        out.push_back(make_normal_form(NormalForm::Nfd));
        out.push_back(by_character([](char32_t c, std::string_view bytes, std::string& to) {
            if (!is_nonspacing_mark(c)) to += bytes;
        }));
    }
    if (settings.lowercase) out.push_back(make_lowercase());
}

std::unique_ptr<Normalizer> make_lowercase() {
    return by_character([](char32_t c, std::string_view, std::string& out) { append_case(out, c, Case::Lower); });
}

std::unique_ptr<Normalizer> make_strip_accents() {
    return by_character([](char32_t c, std::string_view bytes, std::string& out) {
        if (!is_mark(c)) out += bytes;
    });
}

std::unique_ptr<Normalizer> make_nmt() { return by_character(nmt_character); }
std::unique_ptr<Normalizer> make_byte_letters_normalizer() { return std::make_unique<ByteLettersNormalizer>(); }
std::unique_ptr<Normalizer> make_normal_form(NormalForm form) { return std::make_unique<FormNormalizer>(form); }
std::unique_ptr<Normalizer> make_strip(bool left, bool right) { return std::make_unique<StripNormalizer>(left, right); }
std::unique_ptr<Normalizer> make_prepend(std::string prefix) {
    return std::make_unique<PrependNormalizer>(std::move(prefix));
}
std::unique_ptr<Normalizer> make_precompiled(Charsmap map) {
    return std::make_unique<PrecompiledNormalizer>(std::move(map));
}

std::unique_ptr<Normalizer> make_replace(Regex pattern, std::string content) {
    return std::make_unique<ReplaceNormalizer<Regex>>(std::move(pattern), std::move(content));
}

std::unique_ptr<Normalizer> make_replace(std::string pattern, std::string content) {
    return std::make_unique<ReplaceNormalizer<std::string>>(std::move(pattern), std::move(content));
}

std::string replace_all(std::string_view text, std::string_view pattern, std::string_view content) {
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    for (size_t at; (at = text.find(pattern)) != std::string_view::npos; text.remove_prefix(at + pattern.size()))
        out.append(text.substr(0, at)).append(content);
    return out.append(text);
}

std::string replace_all(std::string_view text, const Regex& pattern, std::string_view content) {
    std::string out;
    size_t done = 0;
    RegexMatcher(text.size()).for_each(pattern, text, [&](RegexMatcher::Match match) {
        out.append(text.substr(done, match.begin - done)).append(content);
        done = match.end;
    });
    return out.append(text.substr(done));
}

size_t leading_space(std::string_view text) {
    size_t size = 0;
    while (size < text.size()) {
        const Utf8Unit unit = next_utf8(text.substr(size));
        if (unit.form != Utf8Form::WellFormed || !is_white_space(unit.code_point)) break;
        size += unit.size;
    }
    return size;
}

std::string_view strip_end(std::string_view text) {
    while (!text.empty()) {
        size_t last = text.size() - 1;
        while (last > 0 && text.size() - last < 4 && (text[last] & 0xC0) == 0x80) --last;
        const Utf8Unit unit = next_utf8(text.substr(last));
        const bool whole =
            unit.form == Utf8Form::WellFormed && last + unit.size == text.size();  // no stray byte behind it
        if (!whole || !is_white_space(unit.code_point)) break;
        text.remove_suffix(unit.size);
    }
    return text;
}

}  // namespace godwit
