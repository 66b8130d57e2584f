#include "tokenizer/splitter.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "text/unicode.hpp"
#include "tokenizer/byte_alphabet.hpp"
#include "tokenizer/normalizer.hpp"
#include "tokenizer/scripts.hpp"

namespace godwit {
namespace {

/// A part of a piece.
struct Span {
    size_t begin, end;
    bool matched;
};
using Spans = std::vector<Span>;

/// Joins spans that stay together; drops those to be removed.
void behave(Spans& spans, SplitBehavior behavior) {
    Spans out;
    const auto extend_or_add = [&](bool extend, const Span& span) {
        if (extend && !out.empty()) {
            out.back().begin = std::min(out.back().begin, span.begin);
            out.back().end = std::max(out.back().end, span.end);
        } else {
            out.push_back(span);
        }
    };
    const bool backwards = behavior == SplitBehavior::MergedWithNext;
    if (backwards) std::reverse(spans.begin(), spans.end());
    bool previous = false;
    for (const Span& span : spans) {
        if (behavior == SplitBehavior::Removed) {
            if (!span.matched) out.push_back(span);
        } else {
            const bool merged = behavior == SplitBehavior::Contiguous ? span.matched == previous
                                : behavior == SplitBehavior::Isolated ? false
                                                                      : span.matched && !previous;
            extend_or_add(merged, span);
        }
        previous = span.matched;
    }
    if (backwards) std::reverse(out.begin(), out.end());
    spans = std::move(out);
}

/// Cuts pieces by what a pattern matches in them.
class PatternSplitter : public Splitter {
public:
    PatternSplitter(SplitBehavior behavior, bool invert) : behavior_(behavior), invert_(invert) {}

    void apply(Pieces& pieces) const override {
        Pieces out;
        out.text.reserve(pieces.text.size());
        out.at_start = pieces.at_start;
        Spans spans;
        RegexMatcher matcher(pieces.text.size());
        pieces.for_each([&](std::string_view piece) {
            spans.clear();
            find(piece, spans, matcher);
            if (invert_)
                for (Span& span : spans) span.matched = !span.matched;
            behave(spans, behavior_);
            for (const Span& span : spans) {
                if (span.begin == span.end) continue;
                // The first text to be kept begins the input only if nothing before it was removed.
                if (out.text.empty() && (span.begin > 0 || piece.data() != pieces.text.data())) out.at_start = false;
                out.text += piece.substr(span.begin, span.end - span.begin);
                out.ends.push_back(out.text.size());
            }
        });
        pieces = std::move(out);
    }

protected:
    /// Appends spans, matched or not, that cover the piece in order.
    virtual void find(std::string_view piece, Spans& spans, RegexMatcher& matcher) const = 0;

    static void add_match(Spans& spans, size_t begin, size_t end) {
        const size_t last = spans.empty() ? 0 : spans.back().end;
        if (begin > last) spans.push_back({last, begin, false});
        spans.push_back({begin, end, true});
    }
    static void add_rest(Spans& spans, size_t size) {
        const size_t last = spans.empty() ? 0 : spans.back().end;
        if (size > last) spans.push_back({last, size, false});
    }

private:
    SplitBehavior behavior_;
    bool invert_;
};

class CharacterSplitter final : public PatternSplitter {
public:
    CharacterSplitter(CharacterTest test, SplitBehavior behavior) : PatternSplitter(behavior, false), test_(test) {}

private:
    void find(std::string_view piece, Spans& spans, RegexMatcher&) const override {
        for (size_t at = 0; at < piece.size();) {
            const Utf8Unit unit = next_utf8(piece.substr(at));
            if (unit.form == Utf8Form::WellFormed && test_(unit.code_point)) add_match(spans, at, at + unit.size);
            at += unit.size;
        }
        add_rest(spans, piece.size());
    }

    CharacterTest test_;
};

class RegexSplitter final : public PatternSplitter {
public:
    RegexSplitter(Regex regex, SplitBehavior behavior, bool invert)
        : PatternSplitter(behavior, invert), regex_(std::move(regex)) {}

private:
    void find(std::string_view piece, Spans& spans, RegexMatcher& matcher) const override {
        matcher.for_each(regex_, piece, [&](RegexMatcher::Match match) { add_match(spans, match.begin, match.end); });
        add_rest(spans, piece.size());
    }

    Regex regex_;
};

class TextSplitter final : public PatternSplitter {
public:
    TextSplitter(std::string pattern, SplitBehavior behavior, bool invert)
        : PatternSplitter(behavior, invert), pattern_(std::move(pattern)) {}

private:
    void find(std::string_view piece, Spans& spans, RegexMatcher&) const override {
        for (size_t at = 0; (at = piece.find(pattern_, at)) != std::string_view::npos; at += pattern_.size())
            add_match(spans, at, at + pattern_.size());
        add_rest(spans, piece.size());
    }

    std::string pattern_;
};

/// A piece begins where the script changes; what stands before the first character that has one is dropped.
class ScriptSplitter final : public PatternSplitter {
public:
    ScriptSplitter() : PatternSplitter(SplitBehavior::Removed, false) {}

private:
    static uint8_t script_of(const Utf8Unit& unit) {
        if (unit.form != Utf8Form::WellFormed) return 0;
        const auto ranges = script_ranges();
        const auto range = std::partition_point(ranges.begin(), ranges.end(),
                                                [&](const ScriptRange& r) { return r.last < unit.code_point; });
        return range != ranges.end() && range->first <= unit.code_point ? range->script : 0;
    }

    void find(std::string_view piece, Spans& spans, RegexMatcher&) const override {
        uint8_t last = 0;
        size_t begin = 0;
        for (size_t at = 0; at < piece.size();) {
            const Utf8Unit unit = next_utf8(piece.substr(at));
            const uint8_t script = script_of(unit);
            if (script != 0 && script != last) {
                if (at > begin) spans.push_back({begin, at, last == 0});
                begin = at;
                last = script;
            }
            at += unit.size;
        }
        spans.push_back({begin, piece.size(), last == 0});
    }
};

/// The patterns of a GGUF pre-tokenizer.
class SpecSplitter final : public Splitter {
public:
    explicit SpecSplitter(const PretokenizerSpec& spec) : pretokenizer_(spec) {}
    void apply(Pieces& pieces) const override {
        std::vector<size_t> ends;
        size_t at = 0;
        pieces.for_each([&](std::string_view whole) {
            pretokenizer_.split(whole, [&](std::string_view piece) { ends.push_back(at += piece.size()); });
        });
        pieces.ends = std::move(ends);
    }

private:
    Pretokenizer pretokenizer_;
};

/// Rewrites each piece by itself.
template <class Rewrite>
void rewrite(Pieces& pieces, Rewrite append) {
    Pieces out;
    out.at_start = pieces.at_start;
    out.text.reserve(pieces.text.size() + pieces.text.size() / 2);
    out.ends.reserve(pieces.ends.size());
    pieces.for_each([&](std::string_view piece) {
        append(piece, out);
        out.ends.push_back(out.text.size());
    });
    pieces = std::move(out);
}

class PrefixSpace final : public Splitter {
public:
    void apply(Pieces& pieces) const override {
        rewrite(pieces, [](std::string_view piece, Pieces& out) {
            if (!piece.starts_with(' ')) out.text += ' ';
            out.text += piece;
        });
    }
};

class ByteLetters final : public Splitter {
public:
    void apply(Pieces& pieces) const override {
        rewrite(pieces, [](std::string_view piece, Pieces& out) {
            for (char byte : piece) out.text += byte_letter(static_cast<uint8_t>(byte));
        });
    }
};

class Metaspace final : public Splitter {
public:
    Metaspace(std::string replacement, PrependScheme scheme) : replacement_(std::move(replacement)), scheme_(scheme) {}

    void apply(Pieces& pieces) const override {
        const bool at_start = pieces.at_start;
        rewrite(pieces, [&](std::string_view piece, Pieces& out) {
            const bool prepend =
                scheme_ == PrependScheme::Always || (scheme_ == PrependScheme::First && at_start && out.text.empty());
            const bool has_it = piece.starts_with(' ') || piece.starts_with(replacement_);
            if (prepend && !has_it) out.text += replacement_;
            out.text += replace_all(piece, " ", replacement_);
        });
    }

private:
    std::string replacement_;
    PrependScheme scheme_;
};

class FixedLength final : public Splitter {
public:
    explicit FixedLength(size_t length) : length_(length) {}
    void apply(Pieces& pieces) const override {
        std::vector<size_t> ends;
        size_t begin = 0;
        pieces.for_each([&](std::string_view piece) {
            // Never beyond the piece: what was removed between two may have left bytes that together are one character.
            for (size_t at = 0, count = 0; at < piece.size(); at += next_utf8(piece.substr(at)).size, ++count)
                if (count > 0 && count % length_ == 0) ends.push_back(begin + at);
            begin += piece.size();
            ends.push_back(begin);
        });
        pieces.ends = std::move(ends);
    }

private:
    size_t length_;
};

}  // namespace

std::unique_ptr<Splitter> make_spec_splitter(const PretokenizerSpec& spec) {
    return std::make_unique<SpecSplitter>(spec);
}

std::unique_ptr<Splitter> make_character_splitter(CharacterTest test, SplitBehavior behavior) {
    return std::make_unique<CharacterSplitter>(test, behavior);
}

std::unique_ptr<Splitter> make_regex_splitter(Regex regex, SplitBehavior behavior, bool invert) {
    return std::make_unique<RegexSplitter>(std::move(regex), behavior, invert);
}

std::unique_ptr<Splitter> make_text_splitter(std::string pattern, SplitBehavior behavior, bool invert) {
    return std::make_unique<TextSplitter>(std::move(pattern), behavior, invert);
}

std::unique_ptr<Splitter> make_prefix_space() { return std::make_unique<PrefixSpace>(); }
std::unique_ptr<Splitter> make_byte_letters() { return std::make_unique<ByteLetters>(); }
std::unique_ptr<Splitter> make_fixed_length(size_t length) { return std::make_unique<FixedLength>(length); }

std::unique_ptr<Splitter> make_script_splitter() { return std::make_unique<ScriptSplitter>(); }

void add_metaspace(Splitters& out, const std::string& replacement, PrependScheme scheme, bool split) {
    out.push_back(std::make_unique<Metaspace>(replacement, scheme));
    if (split) out.push_back(make_text_splitter(replacement, SplitBehavior::MergedWithNext, false));
}

void add_whitespace(Splitters& out) {
    // \w of Rust's regex crate.
    constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D})";
    Result<Regex> words = Regex::compile(fmt::format(R"([{}]+|[^{}\t-\r\x{{85}}\p{{Z}}]+)", kWord, kWord));
    CHECK(words.ok());  // the pattern is ours
    out.push_back(make_regex_splitter(std::move(words).take(), SplitBehavior::Removed, true));
}

void add_bert(Splitters& out) {
    out.push_back(make_character_splitter(is_white_space, SplitBehavior::Removed));
    out.push_back(make_character_splitter(is_punctuation, SplitBehavior::Isolated));
}

}  // namespace godwit
