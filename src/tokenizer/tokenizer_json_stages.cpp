#include "tokenizer/tokenizer_json_stages.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "base/utf8.hpp"
#include "tokenizer/charsmap.hpp"

namespace godwit {
namespace {

constexpr size_t kMaxStages = 64, kMaxContent = 256;

/// How many times longer the stages so far make a text at worst; bounded, as files may chain them. (Published ones
/// reach 48.)
class Growth {
public:
    Result<void> multiply(const JsonNode& stage, size_t factor) {
        constexpr size_t kMost = 256;
        times_ *= std::min(factor, kMost + 1);
        if (times_ > kMost) return stage.fault("texts would become more than {} times longer", kMost);
        return done();
    }

private:
    size_t times_ = 1;
};

/// Of stages without a content of their own. NFKC: U+FDFA. ByteLevel, Metaspace: pieces of one byte.
size_t usual_growth(std::string_view type) {
    constexpr std::pair<std::string_view, size_t> kTimes[] = {
        {"NFC", 3},       {"NFD", 3},       {"NFKC", 12},     {"NFKD", 12},
        {"Lowercase", 2}, {"ByteLevel", 4}, {"Metaspace", 4}, {"BertNormalizer", 12}};
    for (const auto& [name, times] : kTimes)
        if (name == type) return times;
    return 1;
}

/// The stages of `node` in order: those of a Sequence one by one, in `member` of each. No recursion: a Sequence in a
/// Sequence waits its turn.
Result<std::vector<JsonNode>> flatten(const JsonNode& node, std::string_view member) {
    std::vector<JsonNode> out, waiting = {node};
    while (!waiting.empty()) {
        const JsonNode next = waiting.back();
        waiting.pop_back();
        const std::string type = TRY(next.get_text("type"));
        if (type != "Sequence") {
            out.push_back(next);
        } else {
            std::vector<JsonNode> inner = TRY(next.get_elements(member));
            waiting.insert(waiting.end(), inner.rbegin(), inner.rend());
        }
        if (out.size() + waiting.size() > kMaxStages) return node.fault("more than {} stages", kMaxStages);
    }
    return out;
}

/// What Replace and Split look for: {"String": …} or {"Regex": …}.
struct Pattern {
    std::string text;
    std::optional<Regex> regex;

    size_t growth(const std::string& content) const {
        return regex ? 1 + content.size() : std::max<size_t>(1, (content.size() + text.size() - 1) / text.size());
    }
};

Result<Pattern> read_pattern(const JsonNode& stage) {
    const JsonNode node = TRY(stage.get("pattern"));
    Pattern pattern;
    if (const auto literal = node.find("String")) {
        pattern.text = TRY(literal->text());
        if (pattern.text.empty()) return literal->fault("an empty text is nothing to look for");
        return pattern;
    }
    const JsonNode regex = TRY(node.get("Regex"));
    const std::string text = TRY(regex.text());
    Result<Regex> compiled = Regex::compile_oniguruma(text);
    if (!compiled.ok()) return regex.fault("{}", compiled.error().message);
    pattern.regex = std::move(compiled).take();
    return pattern;
}

Result<std::string> read_content(const JsonNode& stage, std::string_view member) {
    const JsonNode node = TRY(stage.get(member));
    std::string content = TRY(node.text());
    if (content.size() > kMaxContent) return node.fault("{} bytes (at most {})", content.size(), kMaxContent);
    return content;
}

/// One character.
Result<std::string> read_character(const JsonNode& stage, std::string_view member) {
    const JsonNode node = TRY(stage.get(member));
    std::string text = TRY(node.text());
    if (text.empty() || next_utf8(text).size != text.size())
        return node.fault("expected one character, found '{}'", printable(text));
    return text;
}

std::optional<int> base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    if (c == '/') return 63;
    return std::nullopt;
}

Result<std::string> decode_base64(const JsonNode& node) {
    std::string text = TRY(node.text()), out;
    while (text.ends_with('=')) text.pop_back();
    uint32_t bits = 0;
    int have = 0;
    for (char c : text) {
        const auto digit = base64_digit(c);
        if (!digit) return node.fault("not base64");
        bits = bits << 6 | static_cast<uint32_t>(*digit);
        if ((have += 6) < 8) continue;
        have -= 8;
        out += static_cast<char>(bits >> have & 0xFF);
    }
    return out;
}

// --- Normalizers -----------------------------------------------------------------------------------------------------

Result<void> add_bert(Normalizers& out, const JsonNode& node) {
    BertNormalization bert;
    bert.clean_text = TRY(node.flag_or("clean_text", true));
    bert.chinese_characters = TRY(node.flag_or("handle_chinese_chars", true));
    bert.lowercase = TRY(node.flag_or("lowercase", true));
    bert.strip_accents = TRY(node.flag_or("strip_accents", bert.lowercase));
    add_bert_normalizer(out, bert);
    return done();
}

Result<void> add_replace(Normalizers& out, const JsonNode& node, Growth& growth) {
    Pattern pattern = TRY(read_pattern(node));
    std::string content = TRY(read_content(node, "content"));
    TRY(growth.multiply(node, pattern.growth(content)));
    if (pattern.regex) out.push_back(make_replace(*std::move(pattern.regex), std::move(content)));
    else out.push_back(make_replace(std::move(pattern.text), std::move(content)));
    return done();
}

Result<void> add_precompiled(Normalizers& out, const JsonNode& node, Growth& growth) {
    const auto map_node = node.find("precompiled_charsmap");
    if (!map_node) return done();
    const std::string blob = TRY(decode_base64(*map_node));
    Result<Charsmap> map = Charsmap::parse(blob);
    if (!map.ok()) return map_node->fault("{}", map.error().message);
    TRY(growth.multiply(node, 1 + map.value().longest_replacement() / 3));
    out.push_back(make_precompiled(std::move(map).take()));
    return done();
}

Result<void> add_normalizer(Normalizers& out, const JsonNode& node, Growth& growth) {
    const std::string type = TRY(node.get_text("type"));
    TRY(growth.multiply(node, usual_growth(type)));
    if (type == "BertNormalizer") return add_bert(out, node);
    if (type == "Replace") return add_replace(out, node, growth);
    if (type == "Precompiled") return add_precompiled(out, node, growth);
    if (type == "Prepend") {
        std::string prefix = TRY(read_content(node, "prepend"));
        TRY(growth.multiply(node, 1 + prefix.size()));
        out.push_back(make_prepend(std::move(prefix)));
    } else if (type == "Strip") {
        const bool left = TRY(node.flag_or("strip_left", true)), right = TRY(node.flag_or("strip_right", true));
        out.push_back(make_strip(left, right));
    } else if (type == "ByteLevel") {
        out.push_back(make_byte_letters_normalizer());
    } else if (type == "NFC") {
        out.push_back(make_normal_form(NormalForm::Nfc));
    } else if (type == "NFD") {
        out.push_back(make_normal_form(NormalForm::Nfd));
    } else if (type == "NFKC") {
        out.push_back(make_normal_form(NormalForm::Nfkc));
    } else if (type == "NFKD") {
        out.push_back(make_normal_form(NormalForm::Nfkd));
    } else if (type == "Lowercase") {
        out.push_back(make_lowercase());
    } else if (type == "StripAccents") {
        out.push_back(make_strip_accents());
    } else if (type == "Nmt") {
        out.push_back(make_nmt());
    } else {
        return node.fault("the normalizer '{}' is not supported", printable(type));
    }
    return done();
}

// --- Pre-tokenizers --------------------------------------------------------------------------------------------------

Result<SplitBehavior> read_behavior(const JsonNode& stage, SplitBehavior usual) {
    constexpr std::pair<std::string_view, SplitBehavior> kNames[] = {
        {"Removed", SplitBehavior::Removed},
        {"Isolated", SplitBehavior::Isolated},
        {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
        {"MergedWithNext", SplitBehavior::MergedWithNext},
        {"Contiguous", SplitBehavior::Contiguous}};
    const auto node = stage.find("behavior");
    if (!node) return usual;
    const std::string name = TRY(node->text());
    for (const auto& [known, behavior] : kNames)
        if (name == known) return behavior;
    return node->fault("unknown behavior '{}'", printable(name));
}

Result<PrependScheme> read_scheme(const JsonNode& stage) {
    if (!TRY(stage.flag_or("add_prefix_space", true))) return PrependScheme::Never;
    const std::string name = TRY(stage.text_or("prepend_scheme", "always"));
    if (name == "always") return PrependScheme::Always;
    if (name == "first") return PrependScheme::First;
    if (name == "never") return PrependScheme::Never;
    return stage.fault("unknown prepend_scheme '{}'", printable(name));
}

Result<void> add_byte_level(Splitters& out, const JsonNode& node) {
    if (TRY(node.flag_or("add_prefix_space", true))) out.push_back(make_prefix_space());
    if (TRY(node.flag_or("use_regex", true))) out.push_back(make_spec_splitter(*find_pretokenizer("gpt-2")));
    out.push_back(make_byte_letters());
    return done();
}

Result<void> add_split(Splitters& out, const JsonNode& node) {
    Pattern pattern = TRY(read_pattern(node));
    const SplitBehavior behavior = TRY(read_behavior(node, SplitBehavior::Isolated));
    const bool invert = TRY(node.flag_or("invert", false));
    if (pattern.regex) out.push_back(make_regex_splitter(*std::move(pattern.regex), behavior, invert));
    else out.push_back(make_text_splitter(std::move(pattern.text), behavior, invert));
    return done();
}

Result<void> add_splitter(Splitters& out, const JsonNode& node, Growth& growth) {
    const std::string type = TRY(node.get_text("type"));
    TRY(growth.multiply(node, usual_growth(type)));
    if (type == "ByteLevel") return add_byte_level(out, node);
    if (type == "Split") return add_split(out, node);
    if (type == "Metaspace") {
        const bool split = TRY(node.flag_or("split", true));
        const PrependScheme scheme = TRY(read_scheme(node));
        add_metaspace(out, TRY(read_character(node, "replacement")), scheme, split);
    } else if (type == "Whitespace") {
        add_whitespace(out);
    } else if (type == "WhitespaceSplit") {
        out.push_back(make_character_splitter(is_white_space, SplitBehavior::Removed));
    } else if (type == "BertPreTokenizer") {
        add_bert(out);
    } else if (type == "Punctuation") {
        out.push_back(make_character_splitter(is_punctuation, TRY(read_behavior(node, SplitBehavior::Isolated))));
    } else if (type == "Digits") {
        const bool each = TRY(node.flag_or("individual_digits", false));
        out.push_back(make_character_splitter(is_numeric, each ? SplitBehavior::Isolated : SplitBehavior::Contiguous));
    } else if (type == "CharDelimiterSplit") {
        out.push_back(make_text_splitter(TRY(read_character(node, "delimiter")), SplitBehavior::Removed, false));
    } else if (type == "UnicodeScripts") {
        out.push_back(make_script_splitter());
    } else if (type == "FixedLength") {
        const auto length = node.find("length");
        out.push_back(make_fixed_length(std::max<uint64_t>(1, length ? TRY(length->count(INT32_MAX)) : 5)));
    } else {
        return node.fault("the pre-tokenizer '{}' is not supported", printable(type));
    }
    return done();
}

// --- Decoders --------------------------------------------------------------------------------------------------------

Result<void> add_replace_decoder(Decoder& out, const JsonNode& node, Growth& growth) {
    Pattern pattern = TRY(read_pattern(node));
    std::string content = TRY(read_content(node, "content"));
    TRY(growth.multiply(node, pattern.growth(content)));
    if (pattern.regex) out.steps.push_back(make_replace_decoder(*std::move(pattern.regex), std::move(content)));
    else out.steps.push_back(make_replace_decoder(std::move(pattern.text), std::move(content)));
    return done();
}

/// After Fuse, which makes one text of all tokens, only its beginning can be stripped: an end is not known while text
/// is streamed.
Result<void> add_strip_decoder(Decoder& out, const JsonNode& node, bool fused) {
    std::string content = TRY(read_character(node, "content"));
    const size_t start = TRY(node.get_count("start", kMaxContent)), stop = TRY(node.get_count("stop", kMaxContent));
    if (!fused) {
        out.steps.push_back(make_strip_decoder(std::move(content), start, stop));
        return done();
    }
    if (stop > 0) return node.fault("Strip at the end of a fused text is not supported");
    if (out.strip_count > 0) return node.fault("a second Strip after Fuse is not supported");
    out.strip_content = std::move(content);
    out.strip_count = start;
    return done();
}

/// `fused`: Fuse or ByteLevel came before.
Result<void> add_decoder(Decoder& out, const JsonNode& node, bool& fused, Growth& growth) {
    const std::string type = TRY(node.get_text("type"));
    if (type == "Strip") return add_strip_decoder(out, node, fused);
    if (type == "Fuse") {
        fused = true;
        return done();
    }
    if (fused) return node.fault("the decoder '{}' after the tokens are fused is not supported", printable(type));
    if (type == "Replace") return add_replace_decoder(out, node, growth);
    if (type == "ByteLevel") {
        out.steps.push_back(make_byte_letters_decoder());
        fused = true;
    } else if (type == "ByteFallback") {
        out.steps.push_back(make_byte_fallback_decoder(false));
    } else if (type == "Metaspace") {
        const bool drop = TRY(read_scheme(node)) != PrependScheme::Never;
        out.steps.push_back(make_metaspace_decoder(TRY(read_character(node, "replacement")), drop));
    } else if (type == "WordPiece") {
        const bool cleanup = TRY(node.flag_or("cleanup", true));
        out.steps.push_back(make_wordpiece_decoder(TRY(node.text_or("prefix", "##")), cleanup));
    } else if (type == "BPEDecoder") {
        const std::string suffix = TRY(node.text_or("suffix", "</w>"));
        if (!suffix.empty()) out.steps.push_back(make_bpe_decoder(suffix));
    } else {
        return node.fault("the decoder '{}' is not supported", printable(type));
    }
    return done();
}

}  // namespace

Result<Normalizers> read_normalizers(const JsonNode& root) {
    Normalizers out;
    const auto node = root.find("normalizer");
    if (!node) return out;
    Growth growth;
    const std::vector<JsonNode> stages = TRY(flatten(*node, "normalizers"));
    for (const JsonNode& stage : stages) TRY(add_normalizer(out, stage, growth));
    return out;
}

Result<Splitters> read_splitters(const JsonNode& root) {
    Splitters out;
    const auto node = root.find("pre_tokenizer");
    if (!node) return out;
    const std::vector<JsonNode> stages = TRY(flatten(*node, "pretokenizers"));
    Growth growth;
    for (const JsonNode& stage : stages) TRY(add_splitter(out, stage, growth));
    return out;
}

Result<Decoder> read_decoder(const JsonNode& root) {
    Decoder out;
    const auto node = root.find("decoder");
    if (!node) {
        out.steps.push_back(make_joining_decoder());
        return out;
    }
    bool fused = false;
    Growth growth;
    const std::vector<JsonNode> stages = TRY(flatten(*node, "decoders"));
    for (const JsonNode& stage : stages) TRY(add_decoder(out, stage, fused, growth));
    return out;
}

bool has_byte_level(const JsonNode& root) {
    for (const auto& [member, list] :
         {std::pair("normalizer", "normalizers"), std::pair("pre_tokenizer", "pretokenizers")}) {
        const auto node = root.find(member);
        if (!node) continue;
        const auto stages = flatten(*node, list);
        if (!stages.ok()) return false;
        for (const JsonNode& stage : stages.value())
            if (const auto type = stage.find("type"); type && type->json() == "ByteLevel") return true;
    }
    return false;
}

}  // namespace godwit
