#include "cli/command.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace godwit {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    for (size_t end = 0; end != text.npos; text.remove_prefix(end == text.npos ? 0 : end + separator.size())) {
        end = text.find(separator);
        parts.push_back(text.substr(0, end));
    }
    return parts;
}

std::vector<std::string_view> names_of(const Option& option) { return split(option.name, ", "); }

bool is_named(const Option& option, std::string_view name) {
    const std::vector<std::string_view> names = names_of(option);
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_positional(const Option& option) { return !option.name.starts_with('-'); }
bool is_list(const Option& option) { return std::holds_alternative<std::vector<std::string>*>(option.target); }
bool is_flag(const Option& option) { return std::holds_alternative<bool*>(option.target); }

/// A bound of `option`, or of T where that is narrower, as T: whole numbers are written out.
template <class T>
T bound(double of_option, T of_type) {
    bool is_wider = std::abs(of_option) >= std::abs(static_cast<double>(of_type));
    return is_wider ? of_type : static_cast<T>(of_option);
}

template <class T>
Error out_of_range(const Option& option, const std::string& typed, const std::string& text, bool is_below) {
    T low = bound(option.min, std::numeric_limits<T>::lowest()),
      high = bound(option.max, std::numeric_limits<T>::max());
    bool is_open = is_below && std::isinf(option.max);  // the type's own bound says nothing here
    return error("{}: {} is out of range ({})", typed, printable(text, 40),
                 is_open ? fmt::format("{} or more", low) : fmt::format("{} to {}", low, high));
}

template <class T>
Result<void> read(const Option& option, const std::string& typed, const std::string& text, T& value) {
    const char* end = text.data() + text.size();
    if (std::is_integral_v<T>) {
        size_t digits = text.starts_with('-') ? 1 : 0;
        if (digits == text.size() || text.find_first_not_of("0123456789", digits) != text.npos)
            return error("{}: '{}' is not a whole number", typed, printable(text, 40));
    }
    T parsed{};
    auto [stop, failure] = std::from_chars(text.data(), end, parsed);
    if (std::is_floating_point_v<T>)
        if (failure == std::errc::invalid_argument || stop != end || !std::isfinite(static_cast<double>(parsed)))
            return error("{}: '{}' is not a number", typed, printable(text, 40));
    auto number = static_cast<double>(parsed);
    if (failure != std::errc() || number < option.min || number > option.max)
        return out_of_range<T>(option, typed, text,
                               text.starts_with('-') || (failure == std::errc() && number < option.min));
    value = parsed;  // only now: a refused value changes nothing
    return done();
}

Result<void> read(const Option& option, const std::string& typed, const std::string& text, std::string& value) {
    const std::vector<std::string_view> choices = split(option.value, "|");
    if (choices.size() > 1 && std::find(choices.begin(), choices.end(), text) == choices.end())
        return error("{}: '{}' is none of {}", typed, printable(text, 40), fmt::join(choices, ", "));
    value = text;
    return done();
}

Result<void> read(const Option&, const std::string& typed, const std::string& text, ByteSize& value) {
    Result<ByteSize> size = ByteSize::parse(text);
    if (!size.ok()) return error("{}: {}", typed, size.error().message);
    value = size.value();
    return done();
}

Result<void> read(const Option&, const std::string&, const std::string&, bool& value) {
    value = true;
    return done();
}

template <class T>
Result<void> read(const Option& option, const std::string& typed, const std::string& text, std::vector<T>& values) {
    return read(option, typed, text, values.emplace_back());
}

template <class T>
Result<void> read(const Option& option, const std::string& typed, const std::string& text, std::optional<T>& value) {
    return read(option, typed, text, value.emplace());
}

/// `typed`: the name as it was given.
Result<void> set(Option& option, const std::string& typed, const std::string& text) {
    if (option.is_given && !is_list(option)) return error("{}: given twice", typed);
    option.is_given = true;
    return std::visit([&](auto* value) { return read(option, typed, text, *value); }, option.target);
}

Error unknown_option(const Command& command, const std::string& typed) {
    std::vector<std::string_view> names{"--help", "--version"};
    for (const Option& option : command.options)
        for (std::string_view name : names_of(option))
            if (name.starts_with("--")) names.push_back(name);
    const bool is_long = typed.starts_with("--") || typed.size() <= 2;  // "-temp" is meant to be a long one
    std::string_view near = nearest(is_long ? typed : fmt::format("-{}", typed), names);
    return error("{}: no such option ({})", printable(typed),
                 !near.empty()            ? fmt::format("did you mean {}?", near)
                 : command.listed.empty() ? fmt::format("godwit {} --help lists them", command.name)
                                          : command.listed);
}

Result<void> set_positional(Command& command, const std::string& text) {
    for (Option& option : command.options) {
        if (is_positional(option) && (is_list(option) || !option.is_given)) return set(option, option.name, text);
    }
    return error(
        "'{}': one argument too many ({})", printable(text, 40),
        command.stray.empty() ? fmt::format("godwit {} --help says what it takes", command.name) : command.stray);
}

/// "--name=value", "--name value", "-n value", "-nvalue" or "-n=value". Moves `at` on where it takes the next argument.
Result<void> set_option(Command& command, const std::vector<std::string>& arguments, size_t& at) {
    const std::string& text = arguments[at];
    const bool is_long = text.starts_with("--");
    const size_t end = std::min(is_long ? text.find('=') : 2, text.size());
    const std::string typed = text.substr(0, end);
    auto* option = const_cast<Option*>(command.find(typed));
    bool one_dash_for_two =
        !is_long && end < text.size() && command.find(fmt::format("-{}", text.substr(0, text.find('=')))) != nullptr;
    if (option == nullptr || one_dash_for_two) return unknown_option(command, is_long ? typed : text);
    if (end < text.size()) {
        if (is_flag(*option)) return error("{}: takes no value", typed);
        return set(*option, typed, text.substr(end + (text[end] == '=' ? 1 : 0)));
    }
    if (is_flag(*option)) return set(*option, typed, "");
    if (at + 1 == arguments.size()) return error("{}: {} is missing after it", typed, option->value);
    const std::string& value = arguments[++at];
    if (value.starts_with('-') && command.find(value) != nullptr)
        return error("{}: {} is missing after it, {} is an option ({}={} if it is meant)", typed, option->value, value,
                     typed, value);
    return set(*option, typed, value);
}

Result<void> check_required(const Command& command) {
    for (const Option& option : command.options)
        if (option.is_required && !option.is_given)
            return error("{} is missing: {}", names_of(option).back(), option.help);
    auto is_given = [&](const std::string& name) { return command.has(name); };
    for (const std::vector<std::string>& names : command.one_of)
        if (std::none_of(names.begin(), names.end(), is_given)) return error("{} is missing", fmt::join(names, " or "));
    return done();
}

Result<void> check_together(const Command& command) {
    for (const Option& option : command.options) {
        if (!option.is_given) continue;
        const std::string_view name = names_of(option).back();
        if (!option.needs.empty() && !command.has(option.needs))
            return error("{}: needs {} as well", name, option.needs);
        for (const std::string& other : option.excludes)
            if (command.has(other)) return error("{} and {}: only one of them may be given", name, other);
    }
    return done();
}

constexpr size_t kHelpColumn = 26;

std::string usage(const Command& command) {
    std::string line = fmt::format("Usage: godwit {}", command.name);
    for (const Option& option : command.options) {
        if (!is_positional(option) && !option.is_required) continue;
        std::string word = option.name + (is_list(option) ? "…" : "");
        if (!is_positional(option)) word = fmt::format("{} {}", names_of(option).back(), option.value);
        line += fmt::format(fmt::runtime(option.is_required ? " {}" : " [{}]"), word);
    }
    return line + " [options]\n";
}

std::string option_row(const Option& option) {
    const std::string left = fmt::format("  {}{}{}", option.name, option.value.empty() ? "" : " ", option.value);
    return help_row(left, option.help + (is_list(option) ? " (may be given again)" : ""), kHelpColumn);
}

}  // namespace

Result<ByteSize> ByteSize::parse(std::string_view text) {
    constexpr std::string_view kUnits = "kmgt";
    constexpr double kMax = 9223372036854775808.0;  // 2^63
    const Error no_size = error("'{}' is not a size (like 800MB, 8GB or 8GiB)", printable(text, 40));
    double value = 0;
    auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (failure != std::errc() || std::signbit(value) || !std::isfinite(value)) return no_size;
    std::string unit = lower_case(text.substr(static_cast<size_t>(stop - text.data())));
    if (unit.ends_with('b')) unit.pop_back();
    const bool is_binary = unit.size() == 2 && unit[1] == 'i';
    if (is_binary) unit.pop_back();
    const size_t power = unit.empty() ? 0 : kUnits.find(unit) + 1;
    if (unit.size() > 1 || (!unit.empty() && power == 0)) return no_size;
    value *= std::pow(is_binary ? 1024.0 : 1000.0, static_cast<double>(power));
    if (value >= kMax) return no_size;
    return ByteSize{static_cast<uint64_t>(value)};
}

Result<void> Command::parse(const std::vector<std::string>& arguments) {
    bool options_end = false;
    for (size_t at = 0; at < arguments.size(); ++at) {
        const std::string& text = arguments[at];
        if (options_end || text.size() < 2 || !text.starts_with('-')) TRY(set_positional(*this, text));
        else if (text == "--") options_end = true;
        else TRY(set_option(*this, arguments, at));
    }
    TRY(check_together(*this));
    return check_required(*this);
}

const Option* Command::find(std::string_view option) const {
    auto found =
        std::find_if(options.begin(), options.end(), [&](const Option& each) { return is_named(each, option); });
    return found == options.end() ? nullptr : &*found;
}

bool Command::has(std::string_view option) const {
    const Option* found = find(option);
    return found != nullptr && found->is_given;
}

std::string help_row(std::string_view left, std::string_view text, size_t column) {
    constexpr size_t kColumns = 80;
    std::string out(left);
    size_t at = utf8_length(left);  // columns: one for each code point
    if (at + 1 > column) out += '\n', at = 0;
    bool is_first = true;
    for (std::string_view word : split(text, " ")) {
        if (!is_first && at + 1 + utf8_length(word) > kColumns) out += '\n', at = 0, is_first = true;
        std::string blanks(is_first ? column - at : 1, ' ');
        at += blanks.size() + utf8_length(word);
        out.append(blanks).append(word);
        is_first = false;
    }
    return out + "\n";
}

std::string Command::help() const {
    std::string page = help_row(fmt::format("godwit {}:", name), purpose, name.size() + 9) + "\n" + usage(*this) + "\n";
    for (const Option& option : options)
        if (is_positional(option)) page += help_row(fmt::format("  {}", option.name), option.help, kHelpColumn);
    std::vector<std::string> sections{"Options"};
    for (const Option& option : options)
        if (std::find(sections.begin(), sections.end(), option.section) == sections.end())
            sections.push_back(option.section);
    for (const std::string& section : sections) {
        page += fmt::format("\n{}\n", section);
        for (const Option& option : options)
            if (!is_positional(option) && option.section == section) page += option_row(option);
        if (section == sections.front()) page += help_row("  -h, --help", "this page", kHelpColumn);
    }
    return page + "\n" + notes + "\n";
}

}  // namespace godwit
