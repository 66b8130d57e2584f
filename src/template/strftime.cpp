// strftime in the C locale, whatever the process's.
#include <array>

#include "template/methods.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};

std::string_view day_name(const std::tm& now) { return kDays[static_cast<size_t>(now.tm_wday) % 7]; }
std::string_view month_name(const std::tm& now) { return kMonths[static_cast<size_t>(now.tm_mon) % 12]; }

Result<std::string> time_field(const std::tm& now, char letter) {
    int hour12 = now.tm_hour % 12 == 0 ? 12 : now.tm_hour % 12;
    switch (letter) {
        case 'Y':
            return fmt::format("{}", now.tm_year + 1900);
        case 'y':
            return fmt::format("{:02}", now.tm_year % 100);
        case 'm':
            return fmt::format("{:02}", now.tm_mon + 1);
        case 'd':
            return fmt::format("{:02}", now.tm_mday);
        case 'e':
            return fmt::format("{:2}", now.tm_mday);
        case 'H':
            return fmt::format("{:02}", now.tm_hour);
        case 'I':
            return fmt::format("{:02}", hour12);
        case 'M':
            return fmt::format("{:02}", now.tm_min);
        case 'S':
            return fmt::format("{:02}", now.tm_sec);
        case 'j':
            return fmt::format("{:03}", now.tm_yday + 1);
        case 'p':
            return std::string(now.tm_hour < 12 ? "AM" : "PM");
        case 'A':
            return std::string(day_name(now));
        case 'a':
            return std::string(day_name(now).substr(0, 3));
        case 'B':
            return std::string(month_name(now));
        case 'b':
        case 'h':
            return std::string(month_name(now).substr(0, 3));
        case 'w':
            return fmt::format("{}", now.tm_wday);
        case 'F':
            return fmt::format("{}-{:02}-{:02}", now.tm_year + 1900, now.tm_mon + 1, now.tm_mday);
        case 'T':
            return fmt::format("{:02}:{:02}:{:02}", now.tm_hour, now.tm_min, now.tm_sec);
        case 'R':
            return fmt::format("{:02}:{:02}", now.tm_hour, now.tm_min);
        case 'f':
            return std::string("000000");
        case 'n':
            return std::string("\n");
        case 't':
            return std::string("\t");
        case '%':
            return std::string("%");
        default:
            return error("strftime_now: the field %{} is not supported", letter);
    }
}

}  // namespace

Result<Value> strftime_now(Runtime& runtime, const Value&, const Arguments& arguments) {
    auto bound = TRY(bind_arguments("strftime_now", arguments, {"format"}, 1));
    if (!bound[0]->is(Type::String)) return error("strftime_now: the format must be a string");
    const TracedText& format = text_of(*bound[0]);
    TracedText out;
    for (size_t i = 0; i < format.size(); ++i) {
        if (format.view()[i] != '%' || i + 1 == format.size()) {
            out.append(format, i, i + 1);
            continue;
        }
        bool unpadded = format.view()[++i] == '-' && i + 1 < format.size();
        std::string field = TRY(time_field(runtime.now(), format.view()[unpadded ? ++i : i]));
        if (unpadded) field.erase(0, std::min(field.find_first_not_of("0 "), field.size() - 1));
        out.append(field, Origin::Template);
    }
    return runtime.string(std::move(out));
}

}  // namespace godwit::jinja
