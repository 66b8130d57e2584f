#include "tokenizer/pretokenizer.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "text/regex.hpp"

namespace godwit {
namespace {

Regex compile(std::string_view pattern) {
    Result<Regex> regex = Regex::compile(pattern);
    CHECK(regex.ok());  // the patterns are ours
    return std::move(regex).take();
}

/// Collects ascending ends of pieces; cuts at a place that is one already, or at the start, count for nothing.
class Cuts {
public:
    explicit Cuts(std::vector<size_t>& ends) : ends_(ends) {}
    void start(size_t begin) { last_ = begin; }
    void cut(size_t at) {
        if (at <= last_) return;
        ends_.push_back(at);
        last_ = at;
    }

private:
    std::vector<size_t>& ends_;
    size_t last_ = 0;
};

bool begins_code_point(char byte) { return (byte & 0xC0) != 0x80; }

/// Cuts `text[begin, end)` before each third code point counted from the end; `base` is the offset of text.
void cut_thirds(std::string_view text, size_t begin, size_t end, size_t base, Cuts& cuts) {
    size_t left = std::count_if(text.begin() + begin, text.begin() + end, begins_code_point);
    for (size_t i = begin; i < end; ++i) {
        if (!begins_code_point(text[i])) continue;
        if (left % 3 == 0) cuts.cut(base + i);
        --left;
    }
}

}  // namespace

struct Pretokenizer::Step {
    Cut cut;
    Regex regex;

    /// Cuts the piece text[begin, end), which is all that the pattern sees.
    void apply(std::string_view text, size_t begin, size_t end, RegexMatcher& matcher, Cuts& cuts) const {
        const std::string_view piece = text.substr(begin, end - begin);
        cuts.start(begin);
        for (size_t at = 0; at < piece.size();) {
            const auto match = matcher.next(regex, piece, at);
            if (!match) break;
            if (cut != Cut::Thirds) cuts.cut(begin + match->begin);
            if (cut != Cut::Matches) cut_thirds(piece, match->begin, match->end, begin, cuts);
            if (cut != Cut::Thirds) cuts.cut(begin + match->end);
            at = match->end;
            CHECK(match->end > match->begin);  // the patterns are ours; an empty match would never advance
        }
        cuts.cut(end);
    }
};

Pretokenizer::Pretokenizer(const PretokenizerSpec& spec) {
    for (const PretokenizerStep* step : spec.steps) steps_.push_back({step->cut, compile(step->pattern)});
}

Pretokenizer::Pretokenizer(Pretokenizer&&) noexcept = default;
Pretokenizer::~Pretokenizer() = default;

void Pretokenizer::split(std::string_view text, FunctionRef<void(std::string_view)> take) const {
    RegexMatcher matcher(text.size());
    std::vector<size_t> ends, next;
    while (!text.empty()) {
        if (const size_t broken = utf8_stretch(text, false)) {
            take(text.substr(0, broken));
            text.remove_prefix(broken);
            continue;
        }
        const size_t size = utf8_stretch(text, true);
        ends.assign(1, size);
        for (const Step& step : steps_) {
            next.clear();
            Cuts cuts(next);
            size_t begin = 0;
            for (size_t end : ends) {
                step.apply(text, begin, end, matcher, cuts);
                begin = end;
            }
            std::swap(ends, next);
        }
        size_t begin = 0;
        for (size_t end : ends) {
            take(text.substr(begin, end - begin));
            begin = end;
        }
        text.remove_prefix(size);
    }
}

const PretokenizerSpec* find_pretokenizer(std::string_view name) {
    const auto specs = pretokenizer_specs();
    const auto found = std::find_if(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; });
    return found == specs.end() ? nullptr : &*found;
}

}  // namespace godwit
