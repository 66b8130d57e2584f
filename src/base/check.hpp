// CHECK(condition): programmer errors. Prints the place and the condition and aborts; always on.
// Never used for anything that comes from outside (that is a Result).
#pragma once

namespace godwit {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace godwit

#define CHECK(condition) \
    (__builtin_expect(!!(condition), 1) ? void(0) : ::godwit::check_failed(#condition, __FILE__, __LINE__))
