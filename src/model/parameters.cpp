#include "model/parameters.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace minimind {

namespace {

/// Collects the parameters in the order in which PyTorch's modules hold them.
class ListBuilder {
  public:
    explicit ListBuilder(const ModelConfig& config) : config_(config) {}

    std::vector<ParameterInfo> build() {
        list_.reserve(static_cast<std::size_t>(parameter_tensor_count(config_)));
        add("model.embed_tokens", ParameterKind::embedding, {config_.vocab_size, config_.hidden_size});
        for (layer_ = 0; layer_ < config_.num_hidden_layers; ++layer_) add_block();
        layer_ = -1;
        add("model.norm", ParameterKind::norm, {config_.hidden_size});
        if (!config_.tie_word_embeddings) linear("lm_head", config_.vocab_size, config_.hidden_size);
        return std::move(list_);
    }

  private:
    void add_block() {
        const std::string block = fmt::format("model.layers.{}", layer_);
        const std::int64_t hidden = config_.hidden_size;
        linear(block + ".self_attn.q_proj", config_.q_size(), hidden);
        linear(block + ".self_attn.k_proj", config_.kv_size(), hidden);
        linear(block + ".self_attn.v_proj", config_.kv_size(), hidden);
        linear(block + ".self_attn.o_proj", hidden, config_.q_size());
        add(block + ".self_attn.q_norm", ParameterKind::norm, {config_.head_dim});
        add(block + ".self_attn.k_norm", ParameterKind::norm, {config_.head_dim});
        add(block + ".input_layernorm", ParameterKind::norm, {hidden});
        add(block + ".post_attention_layernorm", ParameterKind::norm, {hidden});
        if (config_.use_moe) {
            add_experts(block + ".mlp");
        } else {
            add_feed_forward(block + ".mlp", config_.intermediate_size);
        }
    }

    void add_experts(const std::string& mlp) {
        linear(mlp + ".gate", config_.num_experts, config_.hidden_size);
        for (expert_ = 0; expert_ < config_.num_experts; ++expert_) {
            add_feed_forward(fmt::format("{}.experts.{}", mlp, expert_), config_.moe_intermediate_size);
        }
        expert_ = -1;
    }

    /// MiniMind creates down_proj before up_proj.
    void add_feed_forward(const std::string& mlp, std::int64_t intermediate_size) {
        linear(mlp + ".gate_proj", intermediate_size, config_.hidden_size);
        linear(mlp + ".down_proj", config_.hidden_size, intermediate_size);
        linear(mlp + ".up_proj", intermediate_size, config_.hidden_size);
    }

    void linear(const std::string& module, std::int64_t out, std::int64_t in) {
        add(module, ParameterKind::linear, {out, in});
    }

    void add(const std::string& module, ParameterKind kind, Shape shape) {
        list_.push_back({module + ".weight", std::move(shape), kind, layer_, expert_});
    }

    const ModelConfig& config_;
    std::vector<ParameterInfo> list_;
    int layer_ = -1;
    int expert_ = -1;
};

[[noreturn]] void refuse_count() {
    throw Error("the model would have 2^60 parameters or more").help("make the sizes smaller");
}

/// a * b and a + b of numbers that are not negative, refused from 2^60 on, so that bytes still fit an int64.
std::int64_t product(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t limit = std::int64_t{1} << 60;
    if (b != 0 && a > (limit - 1) / b) refuse_count();
    return a * b;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t limit = std::int64_t{1} << 60;
    if (a >= limit - b) refuse_count();
    return a + b;
}

std::int64_t attention_count(const ModelConfig& config) {
    const std::int64_t q_and_o = product(product(2, config.q_size()), config.hidden_size);
    const std::int64_t k_and_v = product(product(2, config.kv_size()), config.hidden_size);
    return sum(sum(q_and_o, k_and_v), 2 * config.head_dim);
}

std::int64_t feed_forward_count(const ModelConfig& config, std::int64_t experts) {
    const std::int64_t hidden = config.hidden_size;
    if (!config.use_moe) return product(product(3, config.intermediate_size), hidden);
    const std::int64_t router = product(config.num_experts, hidden);
    const std::int64_t expert = product(product(3, config.moe_intermediate_size), hidden);
    return sum(router, product(experts, expert));
}

/// The count with so many experts in each layer.
std::int64_t count_with(const ModelConfig& config, std::int64_t experts) {
    const std::int64_t norms = 2 * config.hidden_size;
    const std::int64_t block = sum(sum(attention_count(config), norms), feed_forward_count(config, experts));
    const std::int64_t table = product(config.vocab_size, config.hidden_size);
    const std::int64_t tables = config.tie_word_embeddings ? table : product(2, table);
    return sum(sum(tables, product(config.num_hidden_layers, block)), config.hidden_size);
}

}  // namespace

std::int64_t parameter_count(const ModelConfig& config) {
    return count_with(config, config.num_experts);
}

std::int64_t active_parameter_count(const ModelConfig& config) {
    return count_with(config, config.num_experts_per_tok);
}

std::int64_t parameter_tensor_count(const ModelConfig& config) {
    constexpr std::int64_t attention_and_norms = 8;
    const std::int64_t feed_forward = config.use_moe ? sum(1, product(3, config.num_experts)) : 3;
    const std::int64_t outside = config.tie_word_embeddings ? 2 : 3;
    return sum(outside, product(config.num_hidden_layers, sum(attention_and_norms, feed_forward)));
}

std::vector<ParameterInfo> parameter_list(const ModelConfig& config) {
    return ListBuilder(config).build();
}

}  // namespace minimind
