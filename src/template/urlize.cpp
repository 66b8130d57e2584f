#include "template/urlize.hpp"

#include <algorithm>
#include <set>

#include "base/utf8.hpp"
#include "template/print.hpp"
#include "text/unicode.hpp"

namespace godwit::jinja {

namespace {

bool is_word(char32_t c) { return c == '_' || is_letter(c) || has_numeric_value(c); }

// Whether there are `least` to `most` units and each is a word character or one of `more`.
bool consists_of(std::string_view text, std::string_view more, size_t least, size_t most) {
    size_t count = 0;
    for (; !text.empty() && count <= most; ++count) {
        Utf8Unit unit = next_utf8(text);
        bool other = unit.code_point < 0x80 && more.find(static_cast<char>(unit.code_point)) != std::string_view::npos;
        if (!other && !is_word(unit.code_point)) return false;
        text.remove_prefix(unit.size);
    }
    return count >= least && count <= most;
}

bool all_digits(std::string_view text, size_t most) {
    return !text.empty() && text.size() <= most && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string lower_ascii(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

// An optional port, then an optional path.
bool is_port_and_path(std::string_view text) {
    if (text.starts_with(':')) {
        size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
        if (!all_digits(text.substr(1, end - 1), 5)) return false;
        text.remove_prefix(end);
    }
    return text.empty() || text[0] == '/' || text[0] == '?' || text[0] == '#';
}

// [h:h:…]: at least two groups that end in a colon, then one to six.
bool is_ipv6(std::string_view inside) {
    auto groups = parts_of(inside, ':');
    if (groups.size() < 3 || inside.find_first_not_of("0123456789abcdef:") != std::string_view::npos) return false;
    if (groups[0].size() > 4 || groups[1].size() > 4) return false;
    size_t used = 0;
    for (size_t i = 2; i < groups.size(); ++i) {
        bool last_and_empty = i + 1 == groups.size() && groups[i].empty() && i > 2;
        used += last_and_empty ? 0 : std::max<size_t>(1, (groups[i].size() + 3) / 4);
    }
    return used <= 6;
}

bool is_top_domain(std::string_view label) {
    if (label.starts_with("xn--")) return consists_of(label.substr(4), "%", 2, 59);
    return label.size() >= 2 && label.size() <= 63 &&
           label.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
}

bool is_address(std::string_view word) {
    static constexpr std::string_view kTop[] = {"com", "net", "int", "edu", "gov", "org", "info", "mil"};
    std::string lowered = lower_ascii(word);
    std::string_view text = lowered;
    size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
    std::string_view rest = text.substr(scheme);
    if (scheme > 0 && rest.starts_with('[')) {
        size_t close = rest.find(']');
        return close != std::string_view::npos && is_ipv6(rest.substr(1, close - 1)) &&
               is_port_and_path(rest.substr(close + 1));
    }
    size_t prefix = scheme > 0 ? scheme : text.starts_with("www.") ? 4 : 0;
    rest = text.substr(prefix);
    size_t end = std::min(rest.find_first_of(":/?#"), rest.size());
    if (!is_port_and_path(rest.substr(end))) return false;
    auto labels = parts_of(rest.substr(0, end), '.');
    auto labels_are = [&](size_t first, size_t least, size_t most) {
        return std::all_of(labels.begin() + static_cast<ptrdiff_t>(first), labels.end() - 1,
                           [&](std::string_view label) { return consists_of(label, "%-", least, most); });
    };
    if (prefix > 0 && is_top_domain(labels.back()) && labels_are(0, 1, SIZE_MAX)) return true;
    if (scheme > 0) {
        return labels.size() == 4 &&
               std::all_of(labels.begin(), labels.end(), [](auto label) { return all_digits(label, 3); });
    }
    if (prefix > 0) labels.insert(labels.begin(), "www");
    return labels.size() > 1 && labels_are(0, 2, 63) &&
           std::find(std::begin(kTop), std::end(kTop), labels.back()) != std::end(kTop);
}

bool is_mail(std::string_view text) {
    size_t at = text.rfind('@');
    if (at == std::string_view::npos || at == 0) return false;
    std::string_view host = text.substr(at + 1);
    size_t dot = host.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || !consists_of(host.substr(dot + 1), "", 1, SIZE_MAX)) return false;
    return is_word(next_utf8(host).code_point) && consists_of(host.substr(0, dot), ".-", 1, SIZE_MAX);
}

struct LinkStyle {
    std::string attributes;  // " rel=… target=…"
    std::optional<int64_t> longest;
    std::vector<Value> schemes;
};

size_t count_of(std::string_view text, std::string_view wanted) {
    size_t count = 0;
    for (size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + wanted.size()))
        ++count;
    return count;
}

// The bytes of `word` that belong to no address: [0, first) and [second, end).
std::pair<size_t, size_t> trim_word(std::string_view word) {
    size_t begin = 0, end = word.size();
    for (;;) {
        size_t size = begin < end && (word[begin] == '(' || word[begin] == '<') ? 1
                      : word.substr(begin).starts_with("&lt;")                  ? 4
                                                                                : 0;
        if (size == 0) break;
        begin += size;
    }
    const size_t whole = end;
    while (end > begin) {
        std::string_view middle = word.substr(begin, end - begin);
        size_t size = std::string_view(")>.,").find(middle.back()) != std::string_view::npos ? 1
                      : middle.ends_with("&gt;")                                             ? 4
                                                                                             : 0;
        if (size == 0) break;
        end -= size;
    }
    static constexpr std::pair<std::string_view, std::string_view> kBrackets[] = {
        {"(", ")"}, {"<", ">"}, {"&lt;", "&gt;"}};
    for (auto [open, close] : kBrackets) {
        size_t opened = count_of(word.substr(begin, end - begin), open);
        if (opened <= count_of(word.substr(begin, end - begin), close)) continue;
        size_t moved = std::min(opened, count_of(word.substr(end, whole - end), close));
        for (; moved > 0; --moved) end = word.find(close, end) + close.size();
    }
    return {begin, end};
}

std::string shortened(std::string_view text, const LinkStyle& style) {
    auto size = static_cast<int64_t>(utf8_length(text));
    if (!style.longest || size <= *style.longest) return std::string(text);
    int64_t kept = *style.longest < 0 ? std::max<int64_t>(size + *style.longest, 0) : *style.longest;
    size_t end = 0;
    for (int64_t i = 0; i < kept; ++i) end += next_utf8(text.substr(end)).size;
    return fmt::format("{}...", text.substr(0, end));
}

// The word as a link, or as it is.
std::string linked(std::string_view word, const LinkStyle& style) {
    auto link = [&](std::string_view target, std::string_view attributes, std::string_view shown) {
        return fmt::format("<a href=\"{}\"{}>{}</a>", target, attributes, shown);
    };
    if (is_address(word)) {
        bool whole = word.starts_with("https://") || word.starts_with("http://");
        return link(fmt::format("{}{}", whole ? "" : "https://", word), style.attributes, shortened(word, style));
    }
    if (word.starts_with("mailto:") && is_mail(word.substr(7))) return link(word, "", word.substr(7));
    bool mail = !word.starts_with("www.") && !word.starts_with('@') && word.find(':') == std::string_view::npos;
    if (mail && is_mail(word)) return link(fmt::format("mailto:{}", word), "", word);
    std::string out(word);
    for (const Value& scheme : style.schemes) {
        if (out != view_of(scheme) && out.starts_with(view_of(scheme))) out = link(out, style.attributes, out);
    }
    return out;
}

bool is_scheme(std::string_view text) {
    size_t colon = text.find(':');
    if (colon == std::string_view::npos || !consists_of(text.substr(0, colon), ".+-", 2, SIZE_MAX)) return false;
    std::string_view tail = text.substr(colon + 1);
    return tail.empty() || tail == "/" || tail == "//";
}

Result<LinkStyle> link_style(Runtime& runtime, const Bound& bound) {
    LinkStyle style;
    if (bound[0] && !bound[0]->is(Type::None)) style.longest = TRY(to_index(*bound[0]));
    std::set<std::string> relations = {"noopener"};
    if (argument_is_true(bound[1])) relations.insert("nofollow");
    if (argument_is_true(bound[3])) {
        if (!bound[3]->is(Type::String)) return error("urlize: rel must be a string");
        for (auto part : parts_of(view_of(*bound[3]), ' ')) {
            if (!part.empty()) relations.insert(std::string(part));
        }
    }
    std::string joined;
    for (const std::string& relation : relations) joined += (joined.empty() ? "" : " ") + relation;
    style.attributes = fmt::format(" rel=\"{}\"", escape_html(TracedText(joined, Origin::Value)).view());
    if (argument_is_true(bound[2])) {
        style.attributes += fmt::format(" target=\"{}\"", TRY(escaped_text(runtime, *bound[2])).view());
    }
    if (bound[4] == nullptr || bound[4]->is(Type::None)) return style;
    style.schemes = TRY(iterate(runtime, *bound[4]));
    for (const Value& scheme : style.schemes) {
        if (!scheme.is(Type::String) || !is_scheme(view_of(scheme)))
            return error("urlize: a scheme is no valid URI prefix");
    }
    return style;
}

}  // namespace

Result<Value> urlize(Runtime& runtime, const Value& input, const Arguments& arguments) {
    auto bound =
        TRY(bind_arguments("urlize", arguments, {"trim_url_limit", "nofollow", "target", "rel", "extra_schemes"}));
    LinkStyle style = TRY(link_style(runtime, bound));
    TracedText text = TRY(escaped_text(runtime, input)), out;
    std::string_view bytes = text.view();
    for (size_t at = 0; at < bytes.size();) {
        size_t begin = at;
        bool space = is_space(next_utf8(bytes.substr(at)).code_point);
        for (; at < bytes.size(); at += next_utf8(bytes.substr(at)).size) {
            if (is_space(next_utf8(bytes.substr(at)).code_point) != space) break;
        }
        TRY(runtime.spend(1 + (at - begin) / 64 * (1 + style.schemes.size())));
        if (space) {
            out.append(text, begin, at);
            continue;
        }
        auto [first, last] = trim_word(bytes.substr(begin, at - begin));
        std::string_view middle = bytes.substr(begin + first, last - first);
        std::string link = linked(middle, style);
        out.append(text, begin, begin + first);
        if (link == middle) out.append(text, begin + first, begin + last);
        if (link != middle) out.append(link, text.origin_at(begin + first));
        out.append(text, begin + last, at);
    }
    return runtime.string(std::move(out), runtime.autoescape);
}

}  // namespace godwit::jinja
