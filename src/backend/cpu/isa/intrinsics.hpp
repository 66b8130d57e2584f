// What the ISA headers share. GODWIT_INLINE: functions of these headers must vanish into their callers: one that stayed
// a function of its own could be linked, in its AVX-512 form, into code that runs on machines without.
#pragma once

#if defined(GODWIT_SIMDE)  // tests/backend/simde has come before, in place of <immintrin.h>; functions stay functions:
                           // compiled in seconds
#define GODWIT_INLINE static inline
#define GODWIT_INLINE_LAMBDA
#define GODWIT_UNROLL
#else
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#define GODWIT_INLINE [[gnu::always_inline]] static inline
/// After the parameters of a lambda that must vanish into its caller.
#define GODWIT_INLINE_LAMBDA __attribute__((always_inline))
#if defined(__clang__)
#define GODWIT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GODWIT_UNROLL _Pragma("GCC unroll 64")
#endif
#endif
