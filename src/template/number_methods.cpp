// The attributes and methods of int, bool and float.
#include <bit>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"
#include "template/methods.hpp"
#include "template/number_text.hpp"
#include "template/print.hpp"

namespace godwit::jinja {

namespace {

__extension__ using Unsigned = unsigned __int128;

Unsigned magnitude_of(const Value& value) {
    auto bits = static_cast<Unsigned>(value.integer);
    return value.integer < 0 ? -bits : bits;
}

template <int (*Count)(uint64_t high, uint64_t low)>
Result<Value> count_bits(Runtime&, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("a method of bits", arguments));
    Unsigned magnitude = magnitude_of(self);
    return int_value(Count(static_cast<uint64_t>(magnitude >> 64), static_cast<uint64_t>(magnitude)));
}
int bits_set(uint64_t high, uint64_t low) { return std::popcount(high) + std::popcount(low); }
int bits_used(uint64_t high, uint64_t low) {
    return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

Result<Value> conjugate(Runtime&, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("conjugate", arguments));
    return self.is(Type::Bool) ? int_value(self.integer, self.origin) : self;
}

Result<Value> integer_ratio(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("as_integer_ratio", arguments));
    Integer above = self.integer, below = 1;
    if (self.is(Type::Float)) {
        if (!std::isfinite(self.real)) return error("cannot convert {} to an integer ratio", float_repr(self.real));
        int exponent = 0;
        double fraction = std::frexp(self.real, &exponent);
        while (fraction != std::floor(fraction)) fraction *= 2, --exponent;
        above = static_cast<Integer>(fraction);
        for (; exponent > 0; --exponent) {
            if (__builtin_mul_overflow(above, Integer{2}, &above)) return error("integers have 128 bits");
        }
        if (exponent < -126) return error("integers have 128 bits");
        below <<= -exponent;
    }
    return runtime.list({int_value(above, self.origin), int_value(below, self.origin)}, Type::Tuple);
}

Result<bool> is_big_endian(const Value* order) {
    if (order == nullptr) return true;
    std::string_view name = order->is(Type::String) ? view_of(*order) : "";
    if (name != "big" && name != "little") return error("byteorder must be either 'little' or 'big'");
    return name == "big";
}

// Arguments before the last, `signed`, which must be named.
Result<Bound> bind_byte_arguments(std::string_view what, const Arguments& arguments, std::string_view first,
                                  size_t required) {
    if (arguments.positional.size() > 2) return error("{}() takes at most 2 positional arguments", what);
    return bind_arguments(what, arguments, {first, "byteorder", "signed"}, required);
}

Result<Value> to_bytes(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_byte_arguments("to_bytes", arguments, "length", 0));
    int64_t size = bound[0] ? TRY(to_index(*bound[0])) : 1;
    bool big = TRY(is_big_endian(bound[1])), is_signed = argument_is_true(bound[2]);
    if (size < 0) return error("to_bytes: the length must not be negative");
    if (self.integer < 0 && !is_signed) return error("can't convert negative int to unsigned");
    Integer rest = self.integer;
    for (int64_t i = 0; i < size && i < 16; ++i) rest = rest >> 8;
    bool sign_fits =
        !is_signed || size >= 17 || (size > 0 && ((self.integer >> (8 * size - 1)) & 1) == (self.integer < 0));
    bool fits = rest == (self.integer < 0 ? -1 : 0) && (sign_fits || self.integer == 0);
    if (!fits) return error("int too big to convert");
    TRY(runtime.reserve(static_cast<size_t>(size)));
    TRY(runtime.spend(static_cast<size_t>(size)));
    std::string bytes;
    Integer left = self.integer;
    for (int64_t i = 0; i < size; ++i, left >>= 8) bytes += static_cast<char>(left & 0xFF);
    if (big) std::reverse(bytes.begin(), bytes.end());
    Value made = runtime.string(bytes, self.origin);
    made.type = Type::Bytes;
    return made;
}

Result<Value> from_bytes(Runtime& runtime, const Value& self, const Arguments& arguments) {
    auto bound = TRY(bind_byte_arguments("from_bytes", arguments, "bytes", 1));
    bool big = TRY(is_big_endian(bound[1])), is_signed = argument_is_true(bound[2]);
    if (bound[0]->is(Type::String)) return error("cannot convert 'str' object to bytes");
    std::string bytes;
    if (bound[0]->is(Type::Bytes)) {
        bytes = view_of(*bound[0]);
    } else {
        for (const Value& byte : TRY(iterate(runtime, *bound[0]))) {
            if (!byte.is_integral() || byte.integer < 0 || byte.integer > 255)
                return error("bytes must be in range(0, 256)");
            bytes += static_cast<char>(byte.integer);
        }
    }
    if (!big) std::reverse(bytes.begin(), bytes.end());
    bool negative = is_signed && !bytes.empty() && (bytes[0] & 0x80) != 0;
    Integer number = negative ? -1 : 0;
    for (char byte : bytes) {
        if (number > (Integer{1} << 118) || number < -(Integer{1} << 118)) return error("integers have 128 bits");
        number = number * 256 + static_cast<unsigned char>(byte);
    }
    return self.is(Type::Bool) ? bool_value(number != 0) : int_value(number);
}

Result<Value> is_integer(Runtime&, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("is_integer", arguments));
    return bool_value(std::isfinite(self.real) && std::floor(self.real) == self.real);
}

Result<Value> hex(Runtime& runtime, const Value& self, const Arguments& arguments) {
    TRY(no_arguments("hex", arguments));
    if (!std::isfinite(self.real)) return runtime.string(float_repr(self.real));
    auto bits = std::bit_cast<uint64_t>(self.real);
    uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
    auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
    std::string sign = std::signbit(self.real) ? "-" : "";
    if (self.real == 0.0) return runtime.string(sign + "0x0.0p+0");
    int lead = exponent == 0 ? 0 : 1;
    return runtime.string(
        fmt::format("{}0x{}.{:013x}p{:+}", sign, lead, fraction, lead == 0 ? -1022 : exponent - 1023));
}

Result<Value> from_hex(Runtime&, const Value&, const Arguments& arguments) {
    auto bound = TRY(bind_positional("fromhex", arguments, 1, 1));
    if (!bound[0]->is(Type::String)) return error("bad argument type for built-in operation");
    std::string text(view_of(*bound[0]));
    text.erase(0, text.find_first_not_of(" \t\n\v\f\r"));
    text.erase(text.find_last_not_of(" \t\n\v\f\r") + 1);
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.erase(0, 1);
    if (text == "inf" || text == "infinity" || text == "nan")
        return float_value(parse_float(negative ? "-" + text : text).value_or(0));
    if (text.starts_with("0x")) text.erase(0, 2);
    bool valid = !text.empty() && text.find_first_not_of("0123456789abcdef.p+-") == std::string::npos && text[0] != '-';
    double number = 0;
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::hex);
    if (!valid || failed == std::errc::invalid_argument || end != text.data() + text.size()) {
        return error("invalid hexadecimal floating-point string");
    }
    if (failed != std::errc()) return error("hexadecimal value too large to represent as a float");
    return float_value(negative ? -number : number);
}

}  // namespace

std::optional<Value> number_attribute(const Value& value, std::string_view name) {
    if (name == "real") return value.is(Type::Bool) ? int_value(value.integer, value.origin) : value;
    if (name == "imag") return value.is(Type::Float) ? float_value(0.0) : int_value(0);
    if (value.is(Type::Float)) return std::nullopt;
    if (name == "numerator") return int_value(value.integer, value.origin);
    if (name == "denominator") return int_value(1);
    return std::nullopt;
}

MethodFunction find_number_method(const Value& value, std::string_view name) {
    using Entry = std::pair<std::string_view, MethodFunction>;
    static constexpr Entry kInteger[] = {{"as_integer_ratio", integer_ratio},
                                         {"bit_count", count_bits<bits_set>},
                                         {"bit_length", count_bits<bits_used>},
                                         {"conjugate", conjugate},
                                         {"from_bytes", from_bytes},
                                         {"to_bytes", to_bytes}};
    static constexpr Entry kFloat[] = {{"as_integer_ratio", integer_ratio},
                                       {"conjugate", conjugate},
                                       {"fromhex", from_hex},
                                       {"hex", hex},
                                       {"is_integer", is_integer}};
    for (const auto& [method, call] :
         value.is(Type::Float) ? std::span<const Entry>(kFloat) : std::span<const Entry>(kInteger)) {
        if (method == name) return call;
    }
    return nullptr;
}

}  // namespace godwit::jinja
