// Result<T> (godwit/types.hpp) as the sources use it: error() formats, TRY returns early.
// Used at every edge that touches the outside (files, requests, settings).
// Usage:  Result<Gguf> open(path);  auto gguf = TRY(open(path));
#pragma once

#include <fmt/format.h>

#include "godwit/types.hpp"

namespace godwit {

/// Builds an Error with fmt's format strings (locale-free).
template <class... Args>
[[nodiscard]] Error error(fmt::format_string<Args...> format, Args&&... args) {
    return Error{fmt::format(format, std::forward<Args>(args)...)};
}

/// Success without a value: `return done();`
inline Result<void> done() { return {}; }

}  // namespace godwit

/// The value of a Result, or an early return of its Error from the calling function.
#define TRY(...)                                                      \
    __extension__({                                                   \
        auto&& try_result_ = (__VA_ARGS__);                           \
        if (!try_result_.ok()) return std::move(try_result_).error(); \
        std::move(try_result_).take();                                \
    })
