// The floating-point mode that all computing threads share: threads inherit flush-to-zero, rounding and the like from who
// started them, and bits must not depend on that (invariant I2).
#pragma once

#include <cfenv>

namespace godwit {

/// The default mode (round to nearest, subnormals kept) for a scope of the calling thread.
class DefaultFloatMode {
public:
    DefaultFloatMode() {
        std::fegetenv(&saved_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultFloatMode() { std::fesetenv(&saved_); }
    DefaultFloatMode(const DefaultFloatMode&) = delete;
    DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

private:
    std::fenv_t saved_;
};

}  // namespace godwit
