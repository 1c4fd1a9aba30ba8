#include "tied_embeddings/table_sizes.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "io/checkpoint.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

namespace {

struct NamedConfig {
    std::string name;
    ModelConfig config;
};

std::vector<NamedConfig> configs_to_count(const ModelConfig& config) {
    return {{"this model", config},
            {"minimind3", completed(preset("minimind3"))},
            {"minimind3-moe", completed(preset("minimind3-moe"))}};
}

std::int64_t total_of(ModelConfig config, bool tied) {
    config.tie_word_embeddings = tied;
    return count_parameters(config).total;
}

double percent(std::int64_t part, std::int64_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// File sizes are told in powers of ten: 137.7 MB.
std::string file_size(std::int64_t bytes) {
    const auto size = static_cast<double>(bytes);
    return size < 1e6 ? fmt::format("{:.1f} kB", size / 1e3) : fmt::format("{:.1f} MB", size / 1e6);
}

}  // namespace

void show_table_counts(LabOutput& out, const ModelConfig& config) {
    out.section("What Tying Saves");
    out.line("model                 table          tied        untied     saved     share");
    for (const NamedConfig& named : configs_to_count(config)) {
        const std::int64_t table = count_parameters(named.config).embedding;
        const std::int64_t tied = total_of(named.config, true);
        const std::int64_t untied = total_of(named.config, false);
        out.row(fmt::format("{:<13} {:>13} {:>13} {:>13}  {:>6.2f} %  {:>6.2f} %", named.name, with_commas(table),
                            with_commas(tied), with_commas(untied), percent(table, untied), percent(table, tied)),
                {{"model", named.name},
                 {"table", table},
                 {"tied", tied},
                 {"untied", untied},
                 {"saved_percent", percent(table, untied)},
                 {"share_percent", percent(table, tied)}});
    }
}

void show_table_in_files(LabOutput& out, const ModelConfig& config) {
    out.section("What A File Holds");
    out.line("model, tied    safetensors, float32   float16, table once   .pth, table twice");
    for (const NamedConfig& named : configs_to_count(config)) {
        const std::int64_t table = count_parameters(named.config).embedding;
        const std::int64_t tied = total_of(named.config, true);
        const std::int64_t safetensors = 4 * tied;
        const std::int64_t half_once = 2 * tied;
        const std::int64_t half_twice = 2 * (tied + table);
        out.row(fmt::format("{:<13} {:>21} {:>21} {:>19}", named.name, file_size(safetensors), file_size(half_once),
                            file_size(half_twice)),
                {{"model", named.name},
                 {"safetensors_float32_bytes", safetensors},
                 {"float16_table_once_bytes", half_once},
                 {"pth_float16_table_twice_bytes", half_twice}});
    }
}

void show_table_in_checkpoint(LabOutput& out, const std::string& path) {
    const CheckpointFiles files = open_checkpoint_files(path);
    const TensorIndex index(files.weights);
    std::int64_t bytes = 0;
    for (const auto& [name, located] : index.all()) {
        bytes += static_cast<std::int64_t>(located.tensor.count() * stored_type_size(located.tensor.type));
    }
    const bool has_head = index.find("lm_head.weight") != nullptr;
    out.section("This Checkpoint");
    out.value("tensor_bytes", bytes, with_commas(bytes));
    out.value("holds_lm_head.weight", has_head);
    out.value("lm_head_equals_embed_tokens", !has_head || head_equals_embedding(index));
}

}  // namespace minimind
