// For functions whose loops become vector instructions: compiled twice, the second time for
// processors with AVX2, chosen when the program is loaded (by an indirect function, which
// AddressSanitizer and ThreadSanitizer do not bear). A feature, not an architecture: that of
// "arch=haswell" would be chosen on processors of that very kind alone.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DEEPPROF_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define DEEPPROF_VECTOR_CLONES
#endif

// In front of a loop whose arrays do not overlap.
#ifdef __clang__
#define DEEPPROF_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define DEEPPROF_INDEPENDENT _Pragma("GCC ivdep")
#endif
