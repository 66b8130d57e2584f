// Result<T>: a value, or an Error that names what is wrong, where, and the fix.
// Used at every edge that touches the outside (files, requests, settings). Not thread-safe, as any value.
// Usage:  Result<Gguf> open(path);  auto gguf = TRY(open(path));   // TRY returns the error to the caller
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace godwit {

/// What went wrong, in one line for a person: `where: what (fix)`.
struct Error {
    std::string message;
};

/// Builds an Error with fmt's format strings (locale-free).
template <class... Args>
[[nodiscard]] Error error(fmt::format_string<Args...> format, Args&&... args) {
    return Error{fmt::format(format, std::forward<Args>(args)...)};
}

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    bool ok() const { return state_.index() == 0; }
    const T& value() const& { return std::get<0>(state_); }
    T& value() & { return std::get<0>(state_); }
    T take() && { return std::get<0>(std::move(state_)); }
    const Error& error() const& { return std::get<1>(state_); }
    Error error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

    bool ok() const { return !error_; }
    void take() && {}
    const Error& error() const& { return *error_; }
    Error error() && { return *std::move(error_); }

private:
    std::optional<Error> error_;
};

/// Success without a value: `return done();`
inline Result<void> done() { return {}; }

}  // namespace godwit

/// The value of a Result, or an early return of its Error from the calling function.
#define TRY(...)                                                            \
    __extension__({                                                         \
        auto&& try_result_ = (__VA_ARGS__);                                 \
        if (!try_result_.ok()) return std::move(try_result_).error();       \
        std::move(try_result_).take();                                      \
    })
