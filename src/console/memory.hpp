// Does it fit? Estimated from the sizes alone, so that a huge model is refused before anything is allocated.
#pragma once

#include <string>
#include <string_view>

#include "core/shape.hpp"
#include "model/config.hpp"

namespace minimind {

/// What a command is about to do with a model.
struct Workload {
    Batch batch = {0, 0};       // {0, 0}: no forward pass
    bool keeps_stages = false;  // every hook point is recorded
    bool shows_scores = false;  // a hook sees the scores of all heads of a layer, though it does not keep them
    bool has_loss = false;
    bool maps_parameters = false;  // a memory-mapped checkpoint: its weights need not fit
};

/// Bytes, as doubles: no size is too large for them.
struct MemoryNeed {
    double parameters = 0.0;
    double activations = 0.0;

    double total() const { return parameters + activations; }
};

/// The config must be completed.
MemoryNeed memory_need(const ModelConfig& config, const Workload& workload);

/// Bytes that this process may still take: MemAvailable of /proc/meminfo, or less where a limit is set (control group,
/// ulimit -v).
double available_memory();

/// MemAvailable in bytes from the text of /proc/meminfo; 0 if it is not there.
double available_in_meminfo(std::string_view text);

/// Throws Error, which says what is needed and what there is, if the need is more than `available`.
void check_memory(const ModelConfig& config, const Workload& workload, double available = available_memory());

/// "512 B", "3.1 MiB", "2.0 GiB".
std::string bytes_text(double bytes);

}  // namespace minimind
