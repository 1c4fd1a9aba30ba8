#include "report/parameter_counts.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace minimind {

namespace {

BlockCounts count_block(const ModelConfig& c) {
    BlockCounts block;
    block.self_attn = 2 * c.hidden_size * c.q_size() + 2 * c.hidden_size * c.kv_size() + 2 * c.head_dim;
    block.norms = 2 * c.hidden_size;
    if (c.use_moe) {
        block.expert = 3 * c.hidden_size * c.moe_intermediate_size;
        block.mlp = c.num_experts * c.hidden_size + c.num_experts * block.expert;
    } else {
        block.mlp = 3 * c.hidden_size * c.intermediate_size;
    }
    return block;
}

}  // namespace

ParameterCounts count_parameters(const ModelConfig& config) {
    ParameterCounts counts;
    counts.total = parameter_count(config);  // refuses what overflows
    counts.active = active_parameter_count(config);
    counts.embedding = config.vocab_size * config.hidden_size;
    counts.lm_head = config.tie_word_embeddings ? 0 : counts.embedding;
    counts.final_norm = config.hidden_size;
    counts.block = count_block(config);
    counts.blocks = config.num_hidden_layers * counts.block.total();
    const Shape table = {config.max_position_embeddings, config.head_dim};
    counts.buffers = {{"model.freqs_cos", table}, {"model.freqs_sin", table}};
    return counts;
}

MultiplyAdds count_multiply_adds(const ModelConfig& c, std::int64_t keys) {
    const BlockCounts block = count_block(c);
    const std::int64_t norm_weights = 2 * c.head_dim;
    MultiplyAdds work;
    work.keys = keys;
    work.projections = c.num_hidden_layers * (block.self_attn - norm_weights);
    if (__builtin_mul_overflow(c.num_hidden_layers * c.q_size(), keys, &work.scores)) {
        throw Error("there are more multiply-adds than can be counted").help("use fewer keys or smaller sizes");
    }
    work.values = work.scores;
    const std::int64_t used =
        c.use_moe ? c.num_experts * c.hidden_size + c.num_experts_per_tok * block.expert : block.mlp;
    work.mlp = c.num_hidden_layers * used;
    work.lm_head = c.vocab_size * c.hidden_size;
    return work;
}

std::string trainer_line(const ParameterCounts& counts) {
    const double total = static_cast<double>(counts.total) / 1e6;
    const double active = static_cast<double>(counts.active) / 1e6;
    if (counts.active < counts.total) return fmt::format("Model Params: {:.2f}M-A{:.2f}M", total, active);
    return fmt::format("Model Params: {:.2f}M", total);
}

}  // namespace minimind
