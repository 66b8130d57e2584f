// The second stage of a tokenizer: cuts a stretch of text into the pieces that the model sees one by one. One class a
// kind of tokenizer.json, with the same names; GGUF's tokenizers are built from the same ones.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/regex.hpp"
#include "tokenizer/pretokenizer.hpp"

namespace godwit {

/// A text and where its pieces end.
struct Pieces {
    std::string text;
    std::vector<size_t> ends;  // ascending; the last is the text's
    bool at_start = false;     // the first piece begins where the input begins

    /// visit(piece) for each that is not empty.
    template <class Visit>
    void for_each(Visit visit) const {
        size_t begin = 0;
        for (size_t end : ends) {
            if (end > begin) visit(std::string_view(text).substr(begin, end - begin));
            begin = end;
        }
    }
};

/// Immutable: any thread may apply it.
class Splitter {
public:
    virtual ~Splitter() = default;
    virtual void apply(Pieces& pieces) const = 0;
};

/// In order.
using Splitters = std::vector<std::unique_ptr<Splitter>>;

/// What becomes of the parts of a piece that a pattern matches.
enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

enum class PrependScheme { First, Never, Always };

/// A class of characters.
using CharacterTest = bool (*)(char32_t c);

std::unique_ptr<Splitter> make_spec_splitter(const PretokenizerSpec& spec);
std::unique_ptr<Splitter> make_character_splitter(CharacterTest test, SplitBehavior behavior);
/// `invert`: what the pattern does not match counts as matched.
std::unique_ptr<Splitter> make_regex_splitter(Regex regex, SplitBehavior behavior, bool invert);
/// `pattern` is not empty.
std::unique_ptr<Splitter> make_text_splitter(std::string pattern, SplitBehavior behavior, bool invert);
/// A space in front of each piece that has none.
std::unique_ptr<Splitter> make_prefix_space();
/// GPT-2's letters for the bytes.
std::unique_ptr<Splitter> make_byte_letters();
/// Cuts between characters of different scripts.
std::unique_ptr<Splitter> make_script_splitter();
/// Pieces of `length` characters, at least 1.
std::unique_ptr<Splitter> make_fixed_length(size_t length);

/// Spaces become `replacement`, which is put in front of pieces as `scheme` says; `split`: pieces begin with it.
void add_metaspace(Splitters& out, const std::string& replacement, PrependScheme scheme, bool split);
void add_whitespace(Splitters& out);
void add_bert(Splitters& out);

}  // namespace godwit
