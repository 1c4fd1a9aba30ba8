#include <fmt/core.h>

#include "core/error.hpp"
#include "io/hf_config.hpp"

namespace minimind {

namespace {

using nlohmann::ordered_json;

ordered_json yarn_json(const RopeScaling& scaling) {
    return {{"type", "yarn"},
            {"factor", scaling.factor},
            {"original_max_position_embeddings", scaling.original_max_position_embeddings},
            {"beta_fast", scaling.beta_fast},
            {"beta_slow", scaling.beta_slow},
            {"attention_factor", scaling.attention_factor}};
}

/// The fields that every model type has.
void add_sizes(ordered_json& fields, const ModelConfig& config) {
    fields["hidden_size"] = config.hidden_size;
    fields["num_hidden_layers"] = config.num_hidden_layers;
    fields["vocab_size"] = config.vocab_size;
    fields["num_attention_heads"] = config.num_attention_heads;
    fields["num_key_value_heads"] = config.num_key_value_heads;
    fields["head_dim"] = config.head_dim;
    fields["intermediate_size"] = config.intermediate_size;
    fields["hidden_act"] = config.hidden_act;
    fields["max_position_embeddings"] = config.max_position_embeddings;
    fields["rope_theta"] = config.rope_theta;
    fields["rms_norm_eps"] = config.rms_norm_eps;
    fields["tie_word_embeddings"] = config.tie_word_embeddings;
    fields["bos_token_id"] = config.bos_token_id;
    fields["eos_token_id"] = config.eos_token_id;
}

void add_experts(ordered_json& fields, const ModelConfig& config) {
    fields["num_experts"] = config.num_experts;
    fields["num_experts_per_tok"] = config.num_experts_per_tok;
    fields["moe_intermediate_size"] = config.moe_intermediate_size;
    fields["norm_topk_prob"] = config.norm_topk_prob;
    fields["router_aux_loss_coef"] = config.router_aux_loss_coef;
}

void add_minimind(ordered_json& fields, const ModelConfig& config) {
    fields["inference_rope_scaling"] = config.inference_rope_scaling;
    fields["rope_scaling"] = config.inference_rope_scaling ? yarn_json(config.rope_scaling) : ordered_json(nullptr);
    fields["use_moe"] = config.use_moe;
    add_experts(fields, config);
}

void add_qwen(ordered_json& fields, const ModelConfig& config, std::string_view model_type) {
    if (config.use_moe != (model_type == "qwen3_moe")) {
        throw Error(config.use_moe ? "a model with experts cannot be saved as qwen3"
                                   : "a model without experts cannot be saved as qwen3_moe")
            .at(fmt::format("--model_type {}", model_type))
            .help(config.use_moe ? "use qwen3_moe or minimind" : "use qwen3 or minimind");
    }
    if (config.inference_rope_scaling) {
        throw Error("MiniMind's YaRN scaling cannot be saved as " + std::string(model_type))
            .at(fmt::format("--model_type {}", model_type))
            .note("it starts at another length and has another attention factor than that of transformers")
            .help("use --model_type minimind, or leave inference_rope_scaling off");
    }
    fields["rope_scaling"] = nullptr;
    fields["attention_bias"] = false;
    fields["attention_dropout"] = 0.0;
    fields["use_sliding_window"] = false;
    fields["sliding_window"] = nullptr;
    if (!config.use_moe) return;
    fields["decoder_sparse_step"] = 1;
    fields["mlp_only_layers"] = ordered_json::array();
    add_experts(fields, config);
}

}  // namespace

ordered_json to_json(const ModelConfig& config) {
    ordered_json fields = ordered_json::object();
    add_sizes(fields, config);
    add_minimind(fields, config);
    return fields;
}

std::string hf_config_text(const ModelConfig& config, std::string_view model_type) {
    const bool minimind = model_type == "minimind";
    if (!minimind && model_type != "qwen3" && model_type != "qwen3_moe") {
        throw Error(fmt::format("unknown model type '{}'", model_type))
            .at(fmt::format("--model_type {}", model_type))
            .note("known: minimind, qwen3, qwen3_moe");
    }
    ordered_json fields = ordered_json::object();
    const char* const qwen_class = config.use_moe ? "Qwen3MoeForCausalLM" : "Qwen3ForCausalLM";
    fields["architectures"] = {minimind ? "MiniMindForCausalLM" : qwen_class};
    fields["model_type"] = model_type;
    fields["dtype"] = "float32";
    add_sizes(fields, config);
    if (minimind) {
        add_minimind(fields, config);
    } else {
        add_qwen(fields, config, model_type);
    }
    return fields.dump(2) + "\n";
}

}  // namespace minimind
