#include "template/word_wrap.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

namespace {

// A text by code points.
struct Line {
    std::vector<char32_t> characters;
    std::vector<size_t> offsets;  // of each in bytes, and the end

    explicit Line(std::string_view bytes) {
        for (size_t at = 0; at < bytes.size();) {
            Utf8Unit unit = next_utf8(bytes.substr(at));
            characters.push_back(unit.code_point);
            offsets.push_back(at);
            at += unit.size;
        }
        offsets.push_back(bytes.size());
    }
    size_t size() const { return characters.size(); }
    char32_t at(size_t i) const { return i < size() ? characters[i] : 0; }  // 0: behind the end
};

struct Chunk {
    size_t begin, end;
    size_t size() const { return end - begin; }
};

bool is_break(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_word(char32_t c) { return c == '_' || is_letter(c) || has_numeric_value(c); }
bool is_letter_or_underscore(char32_t c) { return is_word(c) && !decimal_digit(c); }
bool is_before_dash(char32_t c) {
    return is_word(c) ||
           (c < 0x80 && c != 0 && std::string_view("!\"'&.,?").find(static_cast<char>(c)) != std::string_view::npos);
}

// The end of the run of two dashes or more at `i` that stands between words; 0: there is none. A run is looked at once:
// the answer inside it is that at its begin, except for what stands before.
size_t dash_end(const Line& line, size_t i) {
    if (i == 0 || line.at(i) != '-' || line.at(i + 1) != '-' || !is_before_dash(line.at(i - 1))) return 0;
    size_t end = i;
    while (line.at(end) == '-') ++end;
    return is_word(line.at(end)) ? end : 0;
}

// Whether a word may break behind the hyphen at `i`.
bool breaks_after_hyphen(const Line& line, size_t begin, size_t i) {
    auto letter = [&](size_t at) { return is_letter_or_underscore(line.at(at)); };
    bool before = (i >= 2 && letter(i - 1) && letter(i - 2)) ||
                  (i >= 3 && letter(i - 1) && line.at(i - 2) == '-' && letter(i - 3));
    bool after = letter(i + 1) && (letter(i + 2) || (line.at(i + 2) == '-' && letter(i + 3)));
    return i > begin && before && after;
}

size_t chunk_end(const Line& line, size_t begin, bool hyphens) {
    size_t end = begin;
    if (is_break(line.at(begin))) {
        while (end < line.size() && is_break(line.at(end))) ++end;
        return end;
    }
    if (hyphens) {
        if (size_t dashes = dash_end(line, begin)) return dashes;
    }
    for (end = begin + 1; end < line.size() && !is_break(line.at(end)); ++end) {
        if (!hyphens || line.at(end) != '-') continue;
        if (breaks_after_hyphen(line, begin, end)) return end + 1;
        if (dash_end(line, end) > 0) return end;
    }
    return end;
}

std::vector<Chunk> chunks_of(const Line& line, bool hyphens) {
    std::vector<Chunk> chunks;
    for (size_t at = 0; at < line.size();) {
        size_t end = chunk_end(line, at, hyphens);
        chunks.push_back({at, end});
        at = end;
    }
    return chunks;
}

bool is_blank(const Line& line, const Chunk& chunk) {
    return std::all_of(line.characters.begin() + static_cast<ptrdiff_t>(chunk.begin),
                       line.characters.begin() + static_cast<ptrdiff_t>(chunk.end), is_space);
}

// How much of a chunk that fits no line goes into `space`.
size_t part_of(const Line& line, const Chunk& chunk, size_t space, bool hyphens) {
    if (!hyphens || chunk.size() <= space) return std::min(space, chunk.size());
    for (size_t i = space; i-- > 1;) {
        if (line.at(chunk.begin + i) != '-') continue;
        for (size_t j = 0; j < i; ++j) {
            if (line.at(chunk.begin + j) != '-') return i + 1;
        }
        break;
    }
    return space;
}

}  // namespace

Result<std::vector<TracedText>> wrap_words(Runtime& runtime, const TracedText& text, const WrapStyle& style) {
    TRY(runtime.reserve(text.size() * 32));
    TRY(runtime.spend(text.size() / 16));
    Line line(text.view());
    std::vector<Chunk> chunks = chunks_of(line, style.break_on_hyphens);
    std::reverse(chunks.begin(), chunks.end());
    std::vector<TracedText> lines;
    while (!chunks.empty()) {
        TRY(runtime.spend(1));
        if (!lines.empty() && is_blank(line, chunks.back())) chunks.pop_back();
        std::vector<Chunk> current;
        size_t used = 0;
        while (!chunks.empty() && used + chunks.back().size() <= style.width) {
            used += chunks.back().size();
            current.push_back(chunks.back());
            chunks.pop_back();
        }
        if (!chunks.empty() && chunks.back().size() > style.width) {
            Chunk& long_one = chunks.back();
            if (style.break_long_words) {
                size_t part = part_of(line, long_one, style.width - used, style.break_on_hyphens);
                current.push_back({long_one.begin, long_one.begin + part});
                long_one.begin += part;
            } else if (current.empty()) {
                current.push_back(long_one);
                chunks.pop_back();
            }
        }
        if (!current.empty() && is_blank(line, current.back())) current.pop_back();
        if (current.empty()) continue;  // (an empty part of a long word counts as blank: what is before it stays)
        lines.push_back(text.slice(line.offsets[current.front().begin], line.offsets[current.back().end]));
    }
    return lines;
}

}  // namespace godwit::jinja
