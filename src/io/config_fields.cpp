#include "io/config_fields.hpp"

#include <algorithm>

namespace minimind {

std::span<const ConfigField<std::int64_t>> integer_fields() {
    static constexpr ConfigField<std::int64_t> fields[] = {
        {"hidden_size", &ModelConfig::hidden_size},
        {"num_hidden_layers", &ModelConfig::num_hidden_layers},
        {"vocab_size", &ModelConfig::vocab_size},
        {"num_attention_heads", &ModelConfig::num_attention_heads},
        {"num_key_value_heads", &ModelConfig::num_key_value_heads},
        {"head_dim", &ModelConfig::head_dim},
        {"intermediate_size", &ModelConfig::intermediate_size},
        {"max_position_embeddings", &ModelConfig::max_position_embeddings},
        {"num_experts", &ModelConfig::num_experts},
        {"num_experts_per_tok", &ModelConfig::num_experts_per_tok},
        {"moe_intermediate_size", &ModelConfig::moe_intermediate_size},
        {"bos_token_id", &ModelConfig::bos_token_id},
        {"eos_token_id", &ModelConfig::eos_token_id},
    };
    return fields;
}

std::span<const ConfigField<double>> number_fields() {
    static constexpr ConfigField<double> fields[] = {
        {"rope_theta", &ModelConfig::rope_theta},
        {"rms_norm_eps", &ModelConfig::rms_norm_eps},
        {"router_aux_loss_coef", &ModelConfig::router_aux_loss_coef},
    };
    return fields;
}

std::span<const ConfigField<bool>> truth_fields() {
    static constexpr ConfigField<bool> fields[] = {
        {"tie_word_embeddings", &ModelConfig::tie_word_embeddings},
        {"inference_rope_scaling", &ModelConfig::inference_rope_scaling},
        {"use_moe", &ModelConfig::use_moe},
        {"norm_topk_prob", &ModelConfig::norm_topk_prob},
    };
    return fields;
}

std::span<const ConfigField<std::string>> text_fields() {
    static constexpr ConfigField<std::string> fields[] = {{"hidden_act", &ModelConfig::hidden_act}};
    return fields;
}

bool ConfigOverrides::has(std::string_view field) const {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
}

void ConfigOverrides::apply_to(ModelConfig& config) const {
    const auto copy = [&](const auto& known_fields) {
        for (const auto& field : known_fields) {
            if (has(field.name)) config.*field.member = values.*field.member;
        }
    };
    copy(integer_fields());
    copy(number_fields());
    copy(truth_fields());
    copy(text_fields());
}

ConfigOverrides all_fields(const ModelConfig& config) {
    ConfigOverrides overrides{config, {}};
    const auto add = [&](const auto& known_fields) {
        for (const auto& field : known_fields) overrides.fields.emplace_back(field.name);
    };
    add(integer_fields());
    add(number_fields());
    add(truth_fields());
    add(text_fields());
    return overrides;
}

}  // namespace minimind
