#include "inspect_model_config_params/comparison.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/text.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

namespace {

struct Variant {
    std::string name;
    ModelConfig config;
    ParameterCounts counts;
};

Variant variant_of(const std::string& name, const ModelConfig& sizes) {
    const ModelConfig config = completed(sizes);
    return {name, config, count_parameters(config)};
}

std::vector<Variant> variants_of(const ModelConfig& base) {
    ModelConfig wider = base;
    wider.hidden_size += 32;
    ModelConfig deeper = base;
    deeper.num_hidden_layers += 2;
    ModelConfig wordier = base;
    wordier.vocab_size += 1600;
    ModelConfig untied = base;
    untied.tie_word_embeddings = false;
    return {variant_of("base", base), variant_of("wider_hidden", wider), variant_of("deeper_layers", deeper),
            variant_of("larger_vocab", wordier), variant_of("untied_lm_head", untied)};
}

std::string heads_text(const ModelConfig& config) {
    return fmt::format("{}/{}/{}", config.num_attention_heads, config.num_key_value_heads, config.head_dim);
}

std::string line_of(const Variant& variant) {
    const auto& [name, config, counts] = variant;
    return fmt::format("{:<15} | {:>6} | {:>6} | {:>5} | {:<10} | {:<5} | {:>10} | {:>9} | {:>9} | {:>9} | {:>9}", name,
                       config.hidden_size, config.num_hidden_layers, config.vocab_size, heads_text(config),
                       python_bool(config.tie_word_embeddings), counts.total, counts.embedding, counts.block.total(),
                       counts.block.self_attn, counts.block.mlp);
}

LabOutput::Json json_of(const Variant& variant) {
    const auto& [name, config, counts] = variant;
    return {{"name", name},
            {"hidden_size", config.hidden_size},
            {"num_hidden_layers", config.num_hidden_layers},
            {"vocab_size", config.vocab_size},
            {"num_attention_heads", config.num_attention_heads},
            {"num_key_value_heads", config.num_key_value_heads},
            {"head_dim", config.head_dim},
            {"tie_word_embeddings", config.tie_word_embeddings},
            {"total", counts.total},
            {"token", counts.embedding},
            {"block0", counts.block.total()},
            {"attn0", counts.block.self_attn},
            {"mlp0", counts.block.mlp}};
}

}  // namespace

void show_comparison(LabOutput& out, const ModelConfig& base) {
    out.section_headed("", "Comparison");
    out.line("name | hidden | layers | vocab | heads/kv/head_dim | tied | total | token | block0 | attn0 | mlp0");
    out.line(std::string(128, '-'));
    for (const Variant& variant : variants_of(base)) out.row(line_of(variant), json_of(variant));
}

Table comparison_table(const ModelConfig& base) {
    const Align right = Align::right;
    Table table({{"name"},
                 {"hidden", right},
                 {"layers", right},
                 {"vocab", right},
                 {"heads/kv/head_dim"},
                 {"tied"},
                 {"total", right},
                 {"token", right},
                 {"block0", right},
                 {"attn0", right},
                 {"mlp0", right}});
    for (const auto& [name, config, counts] : variants_of(base)) {
        table.add_row({name, std::to_string(config.hidden_size), std::to_string(config.num_hidden_layers),
                       std::to_string(config.vocab_size), heads_text(config), python_bool(config.tie_word_embeddings),
                       std::to_string(counts.total), std::to_string(counts.embedding),
                       std::to_string(counts.block.total()), std::to_string(counts.block.self_attn),
                       std::to_string(counts.block.mlp)});
    }
    return table;
}

}  // namespace minimind
