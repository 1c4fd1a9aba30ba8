// Loops that use the widest vectors the processor has, without a program for each processor: such a loop is compiled
// twice, for AVX2 with FMA and for every processor, and the choice is made when it runs.
//
//   run_vectorised([=]() MINIMIND_INLINE { for (std::int64_t i = 0; i < n; ++i) y[i] += x[i]; });
//
// The loop and every function that it calls must be inlined into both versions, hence MINIMIND_INLINE. (The attribute
// target_clones would choose by itself, but GCC's arch=haswell means that processor alone, and its avx2 has no FMA. And
// `#pragma omp simd reduction` does nothing here: GCC forgets it when it inlines the loop. Sum in lanes instead.)
#pragma once

#define MINIMIND_INLINE __attribute__((always_inline))

namespace minimind {

inline bool has_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return false;
#endif
}

#if defined(__x86_64__)
template <typename Loop>
[[gnu::target("avx2,fma")]] void run_with_avx2(const Loop& loop) {
    loop();
}
#endif

template <typename Loop>
void run_vectorised(const Loop& loop) {
#if defined(__x86_64__)
    if (has_avx2()) return run_with_avx2(loop);
#endif
    loop();
}

}  // namespace minimind
