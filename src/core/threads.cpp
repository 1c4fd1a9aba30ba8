#include "core/threads.hpp"

#include <cblas.h>
#include <omp.h>

namespace minimind {

namespace {

// A thread is worth waking for about 10 microseconds of work: 2^15 floats.
constexpr std::int64_t floats_worth_a_thread = 1 << 15;

bool one_pool() {
#ifdef OPENBLAS_OPENMP
    return openblas_get_parallel() == OPENBLAS_OPENMP;
#else
    return false;
#endif
}

}  // namespace

int loop_threads(std::int64_t work) {
    if (work < 2 * floats_worth_a_thread || omp_in_parallel() != 0) return 1;
    static const bool shared_pool = one_pool();
    return shared_pool ? omp_get_max_threads() : 1;
}

void use_one_thread_for_little(std::int64_t multiply_adds) {
    constexpr std::int64_t half_a_millisecond = 1 << 25;
    if (multiply_adds < half_a_millisecond) use_threads(1);
}

void use_threads(int threads) {
    omp_set_num_threads(threads);  // OpenBLAS's OpenMP build asks OpenMP
    if (!one_pool()) openblas_set_num_threads(threads);
}

}  // namespace minimind
