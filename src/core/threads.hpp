// How many threads the project's own loops use.
#pragma once

#include <cstdint>

namespace minimind {

/// 1 for little work or if OpenBLAS has a thread pool of its own (two pools would fight for the same cores), else all
/// threads. `work` is the number of floats that the loop touches.
int loop_threads(std::int64_t work);

/// Calls run(i) for i from 0 to count - 1, on loop_threads(work) threads.
template <typename Run>
void parallel_for(std::int64_t count, std::int64_t work, const Run& run) {
    const int threads = loop_threads(work);
    if (threads == 1) {
        for (std::int64_t i = 0; i < count; ++i) run(i);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t i = 0; i < count; ++i) run(i);
}

}  // namespace minimind
