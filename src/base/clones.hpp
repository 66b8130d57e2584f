// GODWIT_CLONES: compiles a function once per x86-64 level and picks at load, so that plain loops with std::fma run at
// vector speed on any machine with the same bits (fma rounds once everywhere). Only g++ release builds: sanitizers
// start before the choice is made.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define GODWIT_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define GODWIT_CLONES
#endif
