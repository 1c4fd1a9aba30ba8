#include "console/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/error.hpp"
#include "model/parameters.hpp"

namespace minimind {

namespace {

constexpr double bytes_per_float = 4.0;

std::string file_text(const char* path) {
    std::ifstream file(path);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    return text.str();
}

/// The number at the start of a text, after spaces; 0 if there is none ("max" in a control group's file).
double leading_number(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return static_cast<double>(value);
}

/// What a container may still take (control groups, version 2); infinite if it has no limit.
double available_in_control_group() {
    const double limit = leading_number(file_text("/sys/fs/cgroup/memory.max"));
    if (limit == 0.0) return std::numeric_limits<double>::infinity();
    return std::max(0.0, limit - leading_number(file_text("/sys/fs/cgroup/memory.current")));
}

/// ulimit -v; infinite if it is not set.
double address_space_limit() {
    rlimit limit = {};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return std::numeric_limits<double>::infinity();
    }
    return static_cast<double>(limit.rlim_cur);
}

/// The sizes as doubles, in which no product overflows.
struct Sizes {
    double tokens, seq, layers, hidden, vocab, heads, q, kv, inner;

    Sizes(const ModelConfig& config, const Batch& batch)
        : tokens(static_cast<double>(batch.batch) * static_cast<double>(batch.seq)),
          seq(static_cast<double>(batch.seq)),
          layers(static_cast<double>(config.num_hidden_layers)),
          hidden(static_cast<double>(config.hidden_size)),
          vocab(static_cast<double>(config.vocab_size)),
          heads(static_cast<double>(config.num_attention_heads)),
          q(heads * static_cast<double>(config.head_dim)),
          kv(static_cast<double>(config.num_key_value_heads) * static_cast<double>(config.head_dim)),
          inner(config.use_moe ? static_cast<double>(config.moe_intermediate_size) *
                                     static_cast<double>(config.num_experts_per_tok)
                               : static_cast<double>(config.intermediate_size)) {}
};

/// The floats of one forward pass: a block's at a time, or everything where all stages are kept.
double activation_floats(const ModelConfig& config, const Workload& workload) {
    const Sizes n(config, workload.batch);
    // q, k, v with their norms and rotations; the inputs, norms and increments of both halves; gate, up and product.
    const double block = n.tokens * (5.0 * n.q + 6.0 * n.kv + 8.0 * n.hidden + 4.0 * n.inner);
    const double all_scores = 3.0 * n.heads * n.tokens * n.seq;  // before and after the mask, and the weights
    const double one_head = n.seq * n.seq;
    const double scores = workload.keeps_stages || workload.shows_scores ? all_scores : one_head;
    const double formed = workload.keeps_stages ? all_scores : 0.0;  // the layer's own, before they are copied
    const double blocks = workload.keeps_stages ? n.layers : 1.0;
    const double logits = n.tokens * n.vocab * (workload.has_loss ? 2.0 : 1.0);
    return blocks * (block + scores) + formed + 2.0 * n.tokens * n.hidden + logits;
}

}  // namespace

MemoryNeed memory_need(const ModelConfig& config, const Workload& workload) {
    MemoryNeed need;
    if (!workload.maps_parameters) need.parameters = bytes_per_float * static_cast<double>(parameter_count(config));
    if (workload.batch.seq > 0) need.activations = bytes_per_float * activation_floats(config, workload);
    return need;
}

double available_in_meminfo(std::string_view text) {
    constexpr std::string_view key = "MemAvailable:";
    const std::size_t start = text.find(key);
    return start == std::string_view::npos ? 0.0 : 1024.0 * leading_number(text.substr(start + key.size()));
}

double available_memory() {
    double available = available_in_meminfo(file_text("/proc/meminfo"));
    if (available == 0.0) {  // not a Linux that says so: half of what is built in
        available = 0.5 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    }
    return std::min({available, available_in_control_group(), address_space_limit()});
}

void check_memory(const ModelConfig& config, const Workload& workload, double available) {
    const MemoryNeed need = memory_need(config, workload);
    if (need.total() <= available) return;
    Error error(fmt::format("about {} of memory are needed, {} are available", bytes_text(need.total()),
                            bytes_text(available)));
    const bool is_model = need.parameters >= need.activations;
    error.at(is_model ? fmt::format("--hidden_size {} --num_hidden_layers {} --vocab_size {}", config.hidden_size,
                                    config.num_hidden_layers, config.vocab_size)
                      : fmt::format("--batch_size {} --seq_len {}", workload.batch.batch, workload.batch.seq));
    error.note(fmt::format("parameters {}, intermediate results {}, in float32", bytes_text(need.parameters),
                           bytes_text(need.activations)));
    error.help(is_model ? "use smaller sizes" : "use a smaller batch_size or seq_len");
    throw error;
}

std::string bytes_text(double bytes) {
    if (bytes < 1024.0) return fmt::format("{:.0f} B", bytes);
    const char* unit = "";
    for (const char* larger : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
        if (bytes < 1024.0) break;
        bytes /= 1024.0;
        unit = larger;
    }
    return fmt::format("{:.1f} {}", bytes, unit);
}

}  // namespace minimind
