// Regular expressions for cutting and replacing: PCRE2 with UTF and UCP, its memory and steps bounded.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/function_ref.hpp"
#include "base/result.hpp"

namespace godwit {

/// A compiled pattern. Immutable: any thread may match.
class Regex {
public:
    /// PCRE2's syntax; `$` is the end of the text. Errors: "at 3: missing )".
    static Result<Regex> compile(std::string_view pattern);

    /// A pattern of a tokenizer.json, written for Oniguruma: `^` and `$` are ends of lines, \w, \s and names of scripts
    /// mean what they mean there. Errors also where a class holds another one or an intersection (PCRE2 has neither).
    static Result<Regex> compile_oniguruma(std::string_view pattern);

    Regex(Regex&&) noexcept;
    Regex& operator=(Regex&&) noexcept;
    ~Regex();

private:
    friend class RegexMatcher;
    struct Code;
    explicit Regex(std::unique_ptr<Code> code);
    static Result<Regex> compile(std::string_view pattern, uint32_t options);

    std::unique_ptr<Code> code_;
};

/// PCRE2's scratch memory. One per thread and text.
class RegexMatcher {
public:
    explicit RegexMatcher(size_t text_size);
    ~RegexMatcher();

    struct Match {
        size_t begin, end;
    };

    /// The first match at or after `from` in well-formed UTF-8. None also where a limit is met: the rest is then one
    /// piece.
    std::optional<Match> next(const Regex& regex, std::string_view text, size_t from);

    /// All matches in order, in the well-formed stretches of any bytes; as in Oniguruma's iterator no empty one
    /// directly after a match.
    void for_each(const Regex& regex, std::string_view text, FunctionRef<void(Match)> visit);

private:
    struct Scratch;
    std::unique_ptr<Scratch> scratch_;
};

/// Size of the well-formed, or the ill-formed, stretch of UTF-8 that `text` begins with.
size_t utf8_stretch(std::string_view text, bool well_formed);

}  // namespace godwit
