#include "text/pretokenizer.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/utf8.hpp"

namespace godwit {
namespace {

struct Free {
    void operator()(pcre2_code* p) const { pcre2_code_free(p); }
    void operator()(pcre2_match_data* p) const { pcre2_match_data_free(p); }
    void operator()(pcre2_match_context* p) const { pcre2_match_context_free(p); }
};
using Code = std::unique_ptr<pcre2_code, Free>;

Code compile(std::string_view pattern) {
    // `$` in a published pattern means the end of the piece. Matching sees well-formed UTF-8 only.
    constexpr uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY;
    int fault = 0;
    size_t offset = 0;
    Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), kOptions, &fault, &offset,
                            nullptr));
    CHECK(code != nullptr);  // the patterns are ours
    // Where there is no JIT (no executable memory), pcre2_match() interprets: slower, the same.
    (void)pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
    return code;
}

/// PCRE2's scratch for one split().
class Matcher {
public:
    explicit Matcher(size_t text_size)
        : data_(pcre2_match_data_create(1, nullptr)), context_(pcre2_match_context_create(nullptr)) {
        CHECK(data_ != nullptr && context_ != nullptr);
        // No pattern of ours needs more than a few steps a byte; these bounds are for the day when one does.
        constexpr size_t kSteps = 1'000'000, kStepsPerByte = 16;
        const size_t steps = std::min<size_t>(kSteps + kStepsPerByte * text_size, UINT32_MAX);
        pcre2_set_match_limit(context_.get(), static_cast<uint32_t>(steps));
        pcre2_set_heap_limit(context_.get(), 64 * 1024);  // KiB
    }

    struct Match {
        size_t begin, end;
    };

    /// The first match at or after `from`. None also where a limit is met: the rest is then one piece.
    std::optional<Match> next(const pcre2_code& code, std::string_view text, size_t from) {
        const int found = pcre2_match(&code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                                      PCRE2_NO_UTF_CHECK, data_.get(), context_.get());
        if (found < 0) return std::nullopt;
        const size_t* range = pcre2_get_ovector_pointer(data_.get());
        return Match{range[0], range[1]};
    }

private:
    std::unique_ptr<pcre2_match_data, Free> data_;
    std::unique_ptr<pcre2_match_context, Free> context_;
};

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

/// The well-formed, or the ill-formed, stretch that `text` begins with.
size_t stretch(std::string_view text, bool well_formed) {
    size_t size = 0;
    while (size < text.size()) {
        const Utf8Unit unit = next_utf8(text.substr(size));
        if ((unit.form == Utf8Form::WellFormed) != well_formed) break;
        size += unit.size;
    }
    return size;
}

}  // namespace

struct Pretokenizer::Step {
    Cut cut;
    Code code;

    /// Cuts the piece text[begin, end), which is all that the pattern sees.
    void apply(std::string_view text, size_t begin, size_t end, Matcher& matcher, Cuts& cuts) const {
        const std::string_view piece = text.substr(begin, end - begin);
        cuts.start(begin);
        for (size_t at = 0; at < piece.size();) {
            const auto match = matcher.next(*code, piece, at);
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
    Matcher matcher(text.size());
    std::vector<size_t> ends, next;
    while (!text.empty()) {
        if (const size_t broken = stretch(text, false)) {
            take(text.substr(0, broken));
            text.remove_prefix(broken);
            continue;
        }
        const size_t size = stretch(text, true);
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
