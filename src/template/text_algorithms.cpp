#include "template/text_algorithms.hpp"

#include <algorithm>
#include <cstring>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

namespace {

size_t last_unit(std::string_view text, size_t begin, size_t end) {
    size_t at = end - 1;
    while (at > begin && end - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
}

}  // namespace

size_t find_bytes(std::string_view text, std::string_view wanted, size_t begin) {
    if (begin > text.size()) return std::string_view::npos;
    const void* found = memmem(text.data() + begin, text.size() - begin, wanted.data(), wanted.size());
    return found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

Result<size_t> find_last_bytes(Runtime& runtime, std::string_view text, std::string_view wanted) {
    TRY(runtime.spend(text.size() / 4096 * wanted.size()));
    return text.rfind(wanted);
}

TracedText strip(const TracedText& text, const std::optional<std::string_view>& characters, bool left, bool right) {
    std::string_view bytes = text.view();
    auto strips = [&](std::string_view unit) {
        if (!characters) return is_space(next_utf8(unit).code_point);
        for (size_t at = 0; at < characters->size();) {
            size_t size = next_utf8(characters->substr(at)).size;
            if (characters->substr(at, size) == unit) return true;
            at += size;
        }
        return false;
    };
    size_t begin = 0, end = bytes.size();
    while (left && begin < end) {
        size_t size = next_utf8(bytes.substr(begin)).size;
        if (!strips(bytes.substr(begin, size))) break;
        begin += size;
    }
    while (right && begin < end) {
        size_t at = last_unit(bytes, begin, end);
        if (!strips(bytes.substr(at, end - at))) break;
        end = at;
    }
    return text.slice(begin, end);
}

namespace {

bool is_cased(char32_t c) { return is_lower(c) || is_upper(c) || is_title(c); }

// Whether a cased letter follows, after any that the search ignores.
bool cased_follows(std::string_view text) {
    while (!text.empty()) {
        Utf8Unit unit = next_utf8(text);
        if (!is_case_ignorable(unit.code_point)) return is_cased(unit.code_point);
        text.remove_prefix(unit.size);
    }
    return false;
}

// Maps each code point to the case that choose(code point) says; none: as it is. A sigma becomes small as it stands in
// its word; `starts_word`: what choose() maps to another case than Lower is no part of that word.
template <class Choose>
TracedText map_case(const TracedText& text, Choose choose, bool starts_word = false) {
    TracedText out;
    std::string_view bytes = text.view();
    bool cased_before = false;
    for (size_t at = 0; at < bytes.size();) {
        Utf8Unit unit = next_utf8(bytes.substr(at));
        char32_t c = unit.code_point;
        std::optional<Case> to = choose(c);
        if (!to || unit.form != Utf8Form::WellFormed) {
            out.append(text, at, at + unit.size);
        } else {
            std::string mapped;
            bool final_sigma =
                c == 0x3A3 && to == Case::Lower && cased_before && !cased_follows(bytes.substr(at + unit.size));
            append_case(mapped, final_sigma ? 0x3C2 : c, *to);
            out.append(mapped, text.origin_at(at));
        }
        if (!is_case_ignorable(c)) cased_before = is_cased(c);
        if (starts_word && to != Case::Lower) cased_before = false;
        at += unit.size;
    }
    return out;
}

}  // namespace

TracedText change_case(const TracedText& text, Case to) {
    return map_case(text, [&](char32_t) { return std::optional(to); });
}

TracedText capitalize(const TracedText& text) {
    bool first = true;
    return map_case(text,
                    [&](char32_t) { return std::optional(std::exchange(first, false) ? Case::Title : Case::Lower); });
}

TracedText title_method(const TracedText& text) {
    bool in_word = false;
    return map_case(text, [&](char32_t c) {
        return std::optional(std::exchange(in_word, is_cased(c)) ? Case::Lower : Case::Title);
    });
}

TracedText title_filter(const TracedText& text) {
    bool first = true;
    auto choose = [&](char32_t c) -> std::optional<Case> {
        bool separator =
            is_space(c) || (c < 0x80 && std::string_view("-({[<").find(static_cast<char>(c)) != std::string_view::npos);
        if (separator) {
            first = true;
            return std::nullopt;
        }
        return std::exchange(first, false) ? Case::Upper : Case::Lower;
    };
    return map_case(text, choose, true);
}

TracedText swap_case(const TracedText& text) {
    return map_case(text, [](char32_t c) -> std::optional<Case> {
        if (is_upper(c)) return Case::Lower;
        return is_lower(c) ? std::optional(Case::Upper) : std::nullopt;
    });
}

Result<TracedText> replace(Runtime& runtime, const TracedText& text, std::string_view old, const TracedText& with,
                           int64_t count) {
    std::string_view bytes = text.view();
    TracedText out;
    size_t begin = 0, at = 0;
    for (int64_t done_count = 0; count < 0 || done_count < count; ++done_count) {
        if (old.empty()) {  // between all code points, and at both ends
            if (done_count > 0 && at == bytes.size()) break;
            at = done_count == 0 ? 0 : at + next_utf8(bytes.substr(at)).size;
        } else {
            at = find_bytes(bytes, old, begin);
            if (at == std::string_view::npos) break;
        }
        out.append(text, begin, at);
        out.append(with);
        if (out.too_long()) return error("the template builds a string of more than {} bytes", kTextBytesMax);
        begin = at + old.size();
    }
    TRY(runtime.spend(bytes.size() / 64));
    out.append(text, begin, bytes.size());
    return out;
}

std::vector<TracedText> split_lines(const TracedText& text, bool keep_ends) {
    std::vector<TracedText> lines;
    std::string_view bytes = text.view();
    size_t begin = 0;
    for (size_t at = 0; at < bytes.size();) {
        Utf8Unit unit = next_utf8(bytes.substr(at));
        char32_t c = unit.code_point;
        bool breaks = (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
        size_t end = at + unit.size;
        if (c == '\r' && end < bytes.size() && bytes[end] == '\n') ++end;
        if (breaks) {
            lines.push_back(text.slice(begin, keep_ends ? end : at));
            begin = end;
        }
        at = end;
    }
    if (begin < bytes.size()) lines.push_back(text.slice(begin, bytes.size()));
    return lines;
}

Result<TracedText> align(Runtime& runtime, const TracedText& text, int64_t width, const TracedText& fill, Align to) {
    int64_t size = 0;
    for (size_t at = 0; at < text.size(); ++size) at += next_utf8(text.view().substr(at)).size;
    if (width <= size) return text;
    if (static_cast<size_t>(width) > kTextBytesMax) return error("a width of {} is too large", width);
    TRY(runtime.reserve(static_cast<size_t>(width) * fill.size()));
    int64_t missing = width - size;
    int64_t before = to == Align::Left ? 0 : to == Align::Right ? missing : missing / 2 + (missing & width & 1);
    TracedText out;
    for (int64_t i = 0; i < before; ++i) out.append(fill);
    out.append(text);
    for (int64_t i = before; i < missing; ++i) out.append(fill);
    return out;
}

}  // namespace godwit::jinja
