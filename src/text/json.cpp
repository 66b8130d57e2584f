#include "text/json.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace godwit {
namespace {

using Object = Json::object_t;

/// The first place of a key stays, its last value counts, as in Python.
void drop_repeated(Object& members) {
    const auto object = members.begin();
    std::vector<size_t> order(members.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        int difference = object[a].first.compare(object[b].first);
        return difference != 0 ? difference < 0 : a < b;
    });
    std::vector<size_t> value_at(order.size());  // whose value the first member of a key gets: the last one's
    bool repeated = false;
    std::vector<bool> first(order.size(), true);
    for (size_t i = 0; i < order.size();) {
        size_t last = i;
        while (last + 1 < order.size() && object[order[last + 1]].first == object[order[i]].first)
            first[order[++last]] = false;
        value_at[order[i]] = order[last];
        repeated |= last > i;
        i = last + 1;
    }
    if (!repeated) return;
    Object kept;
    for (size_t i = 0; i < first.size(); ++i)
        if (first[i]) kept.push_back(Object::value_type(object[i].first, std::move(object[value_at[i]].second)));
    members = std::move(kept);
}

/// Reads a value without recursion, and fills the tree without looking members up: nlohmann's own parser does, which
/// takes the square of an object's size; it also refuses a whole text for one number that no double holds, and tells
/// people what it was doing, not what is wrong.
class Parser {
public:
    Parser(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

    Result<Json> parse(int64_t first_line) {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark, as some editors write it
        if (read_all()) return std::move(root_);
        if (is_limit_) return Error{fault_};
        std::string_view before = text_.substr(0, std::min(at_, text_.size()));
        int64_t line = first_line + std::count(before.begin(), before.end(), '\n');
        before.remove_prefix(before.find_last_of('\n') + 1);  // of npos: 0
        return error("line {}, column {}: {}", line, utf8_length(before) + 1, fault_);
    }

private:
    bool read_all() {
        bool value_follows = true;
        do {
            if (!(value_follows ? read_value(value_follows) : read_after_value(value_follows))) return false;
        } while (value_follows || !open_.empty());
        skip_blanks();
        return at_ == text_.size() || fail("there is more after the end of the value");
    }

    /// A whole value, or the beginning of an array or object that is not empty: then another value follows.
    bool read_value(bool& value_follows) {
        skip_blanks();
        value_follows = false;
        switch (peek()) {
            case '{':
                return open(Json::object(), '}', value_follows) && (!value_follows || read_key());
            case '[':
                return open(Json::array(), ']', value_follows);
            case '"': {
                std::string text;
                return read_string(text) && add(std::move(text));
            }
            case 't':
                return read_word("true", true);
            case 'f':
                return read_word("false", false);
            case 'n':
                return read_word("null", nullptr);
            default:
                return peek() == '-' || is_digit(peek()) ? read_number() : fail("expected a value");
        }
    }

    /// Inside an array or object, after a value.
    bool read_after_value(bool& value_follows) {
        skip_blanks();
        bool in_object = open_.back()->is_object();
        if (peek() == ',') {
            ++at_;
            value_follows = true;
            return !in_object || read_key();
        }
        if (peek() != (in_object ? '}' : ']')) return fail(in_object ? "expected ',' or '}'" : "expected ',' or ']'");
        ++at_;
        close();
        return true;
    }

    bool read_key() {
        skip_blanks();
        if (peek() != '"') return fail("expected the name of a member, in double quotes");
        key_.clear();
        if (!read_string(key_)) return false;
        skip_blanks();
        if (peek() != ':') return fail("expected ':' after the name of a member");
        ++at_;
        return true;
    }

    bool read_word(std::string_view word, Json value) {
        if (!text_.substr(at_).starts_with(word)) return fail("expected a value");
        at_ += word.size();
        return add(std::move(value));
    }

    /// At the opening quote.
    bool read_string(std::string& out) {
        ++at_;
        for (;;) {
            size_t begin = at_;
            while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
            out.append(text_, begin, at_ - begin);
            auto byte = static_cast<unsigned char>(peek());
            if (byte == '"') break;
            if (byte < 0x20) return fail(fmt::format("a control character in a string (write \\u{:04x})", byte));
            if (!(byte == '\\' ? read_escape(out) : read_utf8(out))) return false;
        }
        ++at_;
        return true;
    }

    static bool is_plain(char c) { return static_cast<unsigned char>(c) < 0x80 && c >= 0x20 && c != '"' && c != '\\'; }

    bool read_utf8(std::string& out) {
        Utf8Unit unit = next_utf8(text_.substr(at_));
        if (unit.form != Utf8Form::WellFormed) return fail("a string that is not UTF-8");
        out.append(text_, at_, unit.size);
        at_ += unit.size;
        return true;
    }

    /// At the backslash.
    bool read_escape(std::string& out) {
        constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
        char name = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        if (name == 'u') return read_code_point(out);
        size_t which = kNames.find(name);
        if (which == kNames.npos) return fail("an unknown escape in a string");
        out += kMeanings[which];
        at_ += 2;
        return true;
    }

    bool read_code_point(std::string& out) {
        constexpr const char* kLone = "half of a surrogate pair in a string (a character beyond \\uffff takes both)";
        std::optional<char32_t> unit = utf16_unit(at_);
        if (!unit) return fail("expected four hexadecimal digits after \\u");
        size_t size = 6;
        char32_t code_point = *unit;
        if (code_point >= 0xDC00 && code_point <= 0xDFFF) return fail(kLone);
        if (code_point >= 0xD800 && code_point <= 0xDBFF) {
            std::optional<char32_t> low = utf16_unit(at_ + size);
            if (!low || *low < 0xDC00 || *low > 0xDFFF) return fail(kLone);
            code_point = 0x10000 + ((code_point - 0xD800) << 10) + (*low - 0xDC00);
            size += 6;
        }
        append_utf8(out, code_point);
        at_ += size;
        return true;
    }

    /// Of \uXXXX at `at`.
    std::optional<char32_t> utf16_unit(size_t at) const {
        std::string_view escape = text_.substr(std::min(at, text_.size()), 6);
        if (escape.size() != 6 || !escape.starts_with("\\u")) return std::nullopt;
        uint32_t unit = 0;
        auto [end, fault] = std::from_chars(escape.data() + 2, escape.data() + 6, unit, 16);
        if (fault != std::errc() || end != escape.data() + 6) return std::nullopt;
        return unit;
    }

    bool read_number() {
        size_t begin = at_;
        bool negative = peek() == '-', whole = true;
        at_ += negative;
        if (!is_digit(peek())) return fail("expected a digit");
        if (peek() == '0') ++at_;
        else skip_digits();
        if (peek() == '.') {
            ++at_;
            whole = false;
            if (!skip_digits()) return fail("expected a digit after the point");
        }
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            whole = false;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!skip_digits()) return fail("expected a digit in the exponent");
        }
        return add(number(text_.substr(begin, at_ - begin), negative, whole));
    }

    /// An integer where it is written as one and fits 64 bits.
    static Json number(std::string_view text, bool negative, bool whole) {
        const char *begin = text.data(), *end = begin + text.size();
        int64_t signed_value = 0;
        uint64_t value = 0;
        if (whole && negative && std::from_chars(begin, end, signed_value).ec == std::errc()) return signed_value;
        if (whole && !negative && std::from_chars(begin, end, value).ec == std::errc()) return value;
        double real = 0;
        if (std::from_chars(begin, end, real).ec == std::errc()) return real;
        return std::strtod(std::string(text).c_str(), nullptr);  // too large or too small: infinite or 0
    }

    bool skip_digits() {
        size_t begin = at_;
        while (is_digit(peek())) ++at_;
        return at_ > begin;
    }
    void skip_blanks() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
    }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    bool fail(std::string fault) {
        fault_ = at_ < text_.size() ? std::move(fault) : "the text ends too early";
        return false;
    }
    bool fail_limit(std::string fault) {
        fault_ = std::move(fault);
        is_limit_ = true;
        return false;
    }

    /// Puts a value into its place; null beyond the limit.
    Json* place(Json value) {
        if (++values_ > limits_.values) {
            fail_limit(fmt::format("more than {} values", limits_.values));
            return nullptr;
        }
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Json& parent = *open_.back();
        if (parent.is_array()) return &parent.get_ref<Json::array_t&>().emplace_back(std::move(value));
        Object& members = parent.get_ref<Object&>();
        members.push_back(Object::value_type(std::move(key_), std::move(value)));
        return &members.back().second;
    }
    bool add(Json value) { return place(std::move(value)) != nullptr; }

    /// At the bracket; past the closing one if nothing stands between them.
    bool open(Json value, char closing, bool& has_content) {
        if (open_.size() >= static_cast<size_t>(limits_.depth))
            return fail_limit(fmt::format("more than {} arrays and objects inside each other", limits_.depth));
        Json* opened = place(std::move(value));
        if (opened == nullptr) return false;
        ++at_;
        skip_blanks();
        has_content = peek() != closing;
        if (has_content) open_.push_back(opened);
        else ++at_;
        return true;
    }
    void close() {
        if (open_.back()->is_object()) drop_repeated(open_.back()->get_ref<Object&>());
        open_.pop_back();
    }

    const std::string_view text_;
    const JsonLimits& limits_;
    size_t at_ = 0;
    Json root_;
    std::vector<Json*> open_;  // their addresses hold: nothing is added to a parent while a child is open
    std::string key_;
    size_t values_ = 0;
    std::string fault_;
    bool is_limit_ = false;  // the fault is the text's as a whole, not of one place
};

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits, int64_t first_line) {
    return Parser(text, limits).parse(first_line);
}

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace godwit
