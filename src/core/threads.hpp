// How many threads the project's own loops use.
#pragma once

#include <cstdint>
#include <exception>

namespace minimind {

/// 1 for little work or if OpenBLAS has a thread pool of its own (two pools would fight for the same cores), else all
/// threads. `work` is the number of floats that the loop touches.
int loop_threads(std::int64_t work);

/// For the start of a program: one thread, also for BLAS, if all there is to do is less than about half a millisecond's
/// work. Waking a second thread, and letting it spin until the next loop, would cost more than it saves.
void use_one_thread_for_little(std::int64_t multiply_adds);

/// So many threads for the loops and for BLAS. Precondition: at least 1.
void use_threads(int threads);

/// Calls run(i) for i from 0 to count - 1, on loop_threads(work) threads, which take ever smaller pieces of what is left
/// (so that calls of unequal length, and a thread that is held up, cost little). What one of them throws is thrown here.
template <typename Run>
void parallel_for(std::int64_t count, std::int64_t work, const Run& run) {
    const int threads = loop_threads(work);
    if (threads == 1) {
        for (std::int64_t i = 0; i < count; ++i) run(i);
        return;
    }
    std::exception_ptr failure;  // no exception may leave a parallel loop
#pragma omp parallel for num_threads(threads) schedule(guided)
    for (std::int64_t i = 0; i < count; ++i) {
        try {
            run(i);
        } catch (...) {
#pragma omp critical
            failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace minimind
