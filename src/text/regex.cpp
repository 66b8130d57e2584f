#include "text/regex.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace godwit {
namespace {

constexpr std::string_view kWhiteSpace = R"(\t-\r\x{85}\p{Z})";  // PCRE2's \s has U+180E besides
/// PCRE2's \w lacks marks and has other numbers; Oniguruma's has six of those, from Latin-1.
constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE})";

/// Oniguruma's syntax as PCRE2's, one escape or character at a time.
class Translator {
public:
    explicit Translator(std::string_view pattern) : rest_(pattern) {}

    Result<std::string> run() {
        while (!rest_.empty()) {
            if (rest_[0] == '\\' && rest_.size() > 1) escape();
            else TRY(character());
        }
        return std::move(out_);
    }

private:
    void copy(size_t count) {
        count = std::min(count, rest_.size());
        out_ += rest_.substr(0, count);
        rest_.remove_prefix(count);
    }

    void add_class(std::string_view members, bool negated) {
        if (in_class_) out_ += members;
        else out_ += fmt::format("[{}{}]", negated ? "^" : "", members);
        rest_.remove_prefix(2);
    }

    void escape() {
        const char c = rest_[1];
        if (c == 's' || (c == 'S' && !in_class_)) return add_class(kWhiteSpace, c == 'S');
        if (c == 'w' || (c == 'W' && !in_class_)) return add_class(kWord, c == 'W');
        if (c == 'h' || (c == 'H' && !in_class_)) return add_class("0-9A-Fa-f", c == 'H');
        if ((c == 'p' || c == 'P') && rest_.substr(2).starts_with('{')) return property();
        copy(2);
    }

    /// Names of more than two letters are those of scripts here; PCRE2 means their extensions unless told otherwise.
    void property() {
        const std::string_view negation = rest_.substr(3).starts_with('^') ? "^" : "";
        const size_t begin = 3 + negation.size(), end = std::min(rest_.find('}'), rest_.size());
        const std::string_view name = rest_.substr(begin, end - std::min(begin, end));
        out_ += rest_.substr(0, begin);
        if (name.size() > 2 && name != "Any") out_ += "sc:";
        out_ += name;
        rest_.remove_prefix(end);
    }

    Result<void> character() {
        if (in_class_ && rest_.starts_with("[:")) {
            copy(std::min(rest_.find(":]"), rest_.size()) + 2);
            return done();
        }
        if (in_class_ && (rest_[0] == '[' || rest_.starts_with("&&")))
            return error("a class inside a class, or &&, is not supported");
        const bool opens = !in_class_ && rest_[0] == '[';
        if (in_class_ && rest_[0] == ']') in_class_ = false;
        copy(1);
        if (!opens) return done();
        in_class_ = true;
        if (rest_.starts_with('^')) copy(1);
        if (rest_.starts_with(']')) copy(1);  // a member where it comes first
        return done();
    }

    std::string_view rest_;
    std::string out_;
    bool in_class_ = false;
};

}  // namespace

struct Regex::Code {
    pcre2_code* code;
    ~Code() { pcre2_code_free(code); }
};

struct RegexMatcher::Scratch {
    pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
    pcre2_match_context* context = pcre2_match_context_create(nullptr);
    ~Scratch() {
        pcre2_match_data_free(data);
        pcre2_match_context_free(context);
    }
};

Regex::Regex(std::unique_ptr<Code> code) : code_(std::move(code)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view pattern, uint32_t options) {
    int fault = 0;
    size_t offset = 0;
    auto* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                               PCRE2_UTF | PCRE2_UCP | options, &fault, &offset, nullptr);
    if (code == nullptr) {
        unsigned char message[256];
        pcre2_get_error_message(fault, message, sizeof message);
        return error("at {} of '{}': {}", offset, printable(pattern.substr(0, 200)),
                     reinterpret_cast<const char*>(message));
    }
    // Where there is no JIT (no executable memory), pcre2_match() interprets: slower, the same.
    (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    return Regex(std::make_unique<Code>(code));
}

Result<Regex> Regex::compile(std::string_view pattern) { return compile(pattern, PCRE2_DOLLAR_ENDONLY); }

Result<Regex> Regex::compile_oniguruma(std::string_view pattern) {
    return compile(TRY(Translator(pattern).run()), PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C);
}

RegexMatcher::RegexMatcher(size_t text_size) : scratch_(std::make_unique<Scratch>()) {
    CHECK(scratch_->data != nullptr && scratch_->context != nullptr);
    // No pattern of ours needs more than a few steps a byte; these bounds are for the day when one does, and for those
    // of files.
    constexpr size_t kSteps = 1'000'000, kStepsPerByte = 16;
    const size_t steps = std::min<size_t>(kSteps + kStepsPerByte * text_size, UINT32_MAX);
    pcre2_set_match_limit(scratch_->context, static_cast<uint32_t>(steps));
    pcre2_set_heap_limit(scratch_->context, 64 * 1024);  // KiB
}

RegexMatcher::~RegexMatcher() = default;

std::optional<RegexMatcher::Match> RegexMatcher::next(const Regex& regex, std::string_view text, size_t from) {
    const auto match = [&](uint32_t options) {
        return pcre2_match(regex.code_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                           PCRE2_NO_UTF_CHECK | options, scratch_->data, scratch_->context);
    };
    int found = match(0);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = match(PCRE2_NO_JIT);
    if (found < 0) return std::nullopt;
    const size_t* range = pcre2_get_ovector_pointer(scratch_->data);
    if (range[0] < from || range[1] < range[0]) return std::nullopt;  // \K in a lookaround: no pattern to cut by
    return Match{range[0], range[1]};
}

void RegexMatcher::for_each(const Regex& regex, std::string_view text, FunctionRef<void(Match)> visit) {
    for (size_t begin = 0; begin < text.size(); begin += utf8_stretch(text.substr(begin), false)) {
        const std::string_view part = text.substr(begin, utf8_stretch(text.substr(begin), true));
        std::optional<size_t> last_end;
        for (size_t at = 0; at <= part.size();) {
            const auto match = next(regex, part, at);
            if (!match) break;
            at = match->end;
            const bool empty = match->begin == match->end;
            if (!empty || match->end != last_end) {
                visit({begin + match->begin, begin + match->end});
                last_end = match->end;
            } else {
                at += at < part.size() ? next_utf8(part.substr(at)).size : 1;
            }
        }
        begin += part.size();
    }
}

size_t utf8_stretch(std::string_view text, bool well_formed) {
    size_t size = 0;
    while (size < text.size()) {
        const Utf8Unit unit = next_utf8(text.substr(size));
        if ((unit.form == Utf8Form::WellFormed) != well_formed) break;
        size += unit.size;
    }
    return size;
}

}  // namespace godwit
