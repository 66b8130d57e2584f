// The floating-point mode that all computing threads share: threads inherit flush-to-zero, rounding and the like from
// who started them, and bits must not depend on that (invariant I2).
#pragma once

#include <cfenv>
#include <cstdint>

namespace godwit {

/// The default mode (round to nearest, subnormals kept) for a scope of the calling thread.
class DefaultFloatMode {
public:
    DefaultFloatMode() : changed_(!is_default()) {
        if (!changed_) return;
        std::fegetenv(&saved_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultFloatMode() {
        if (changed_) std::fesetenv(&saved_);
    }
    DefaultFloatMode(const DefaultFloatMode&) = delete;
    DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

private:
    /// Nearly always; to look takes 5 ns, the three calls take 200, and a step enters some hundred scopes.
    static bool is_default() {
#if defined(__x86_64__)
        uint16_t x87 = 0;
        asm volatile("fnstcw %0" : "=m"(x87));
        return (__builtin_ia32_stmxcsr() & 0xffc0u) == 0x1f80 && x87 == 0x37f;  // without MXCSR's sticky flags
#else
        return false;
#endif
    }

    const bool changed_;
    std::fenv_t saved_;
};

}  // namespace godwit
