// The sizes of a model, with MiniMind's names and defaults.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape.hpp"

namespace minimind {

/// YaRN: how rotary frequencies are stretched beyond the length that the model was trained on (Peng et al. 2023).
struct RopeScaling {
    double factor = 16.0;
    std::int64_t original_max_position_embeddings = 2048;
    double beta_fast = 32.0;
    double beta_slow = 1.0;
    double attention_factor = 1.0;
};

/// A size that is 0 is derived from the others by `complete`: head_dim, intermediate_size, moe_intermediate_size.
struct ModelConfig {
    std::int64_t hidden_size = 768;
    std::int64_t num_hidden_layers = 8;
    std::int64_t vocab_size = 6400;
    std::int64_t num_attention_heads = 8;
    std::int64_t num_key_value_heads = 4;
    std::int64_t head_dim = 0;           // hidden_size / num_attention_heads, rounded down
    std::int64_t intermediate_size = 0;  // ceil(hidden_size * pi / 64) * 64
    std::string hidden_act = "silu";
    std::int64_t max_position_embeddings = 32768;
    double rope_theta = 1e6;
    double rms_norm_eps = 1e-6;
    bool tie_word_embeddings = true;
    bool inference_rope_scaling = false;
    RopeScaling rope_scaling;  // used if inference_rope_scaling
    std::int64_t bos_token_id = 1;
    std::int64_t eos_token_id = 2;

    bool use_moe = false;
    std::int64_t num_experts = 4;
    std::int64_t num_experts_per_tok = 1;
    std::int64_t moe_intermediate_size = 0;  // intermediate_size
    bool norm_topk_prob = true;
    double router_aux_loss_coef = 5e-4;

    /// n_rep: how many consecutive query heads each key/value head serves.
    std::int64_t heads_per_kv_head() const { return num_attention_heads / num_key_value_heads; }
    std::int64_t q_size() const { return num_attention_heads * head_dim; }
    std::int64_t kv_size() const { return num_key_value_heads * head_dim; }
};

/// "tiny" (the model of the course's labs), "minimind3" (63.9M) or "minimind3-moe" (198.4M, 63.9M active). Not yet
/// completed. Throws Error for another name.
ModelConfig preset(std::string_view name);
/// The names of the presets.
const std::vector<std::string>& preset_names();

/// How a field is called where its value came from: "--hidden_size 0" or "config.json: hidden_size".
using FieldName = std::function<std::string(std::string_view field, std::string_view value)>;
/// "--hidden_size 0"
std::string as_flag(std::string_view field, std::string_view value);

/// The config with the derived sizes filled in, checked: throws Error where the reference could not build or run it.
ModelConfig completed(ModelConfig config, const FieldName& field_name = as_flag);

}  // namespace minimind
