// What the learnable parameters of a model are: names and shapes as PyTorch's named_parameters() gives them, known from
// the config alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/shape.hpp"
#include "model/config.hpp"

namespace minimind {

enum class ParameterKind { embedding, linear, norm };

struct ParameterInfo {
    std::string name;  // "model.layers.0.self_attn.q_proj.weight"
    Shape shape;       // [out, in] of a linear layer, [V, H] of an embedding, [D] of a norm
    ParameterKind kind;
    int layer = -1;   // -1 outside the blocks
    int expert = -1;  // -1 outside the experts

    std::int64_t count() const { return element_count(shape); }
};

/// How many numbers the parameters have, a tied head not counted again, and how many of them one token uses (in an MoE
/// model num_experts_per_tok of the experts). Known without making the list.
/// The config must be completed. Throws Error if the number is 2^60 or more.
std::int64_t parameter_count(const ModelConfig& config);
std::int64_t active_parameter_count(const ModelConfig& config);

/// How many tensors parameter_list gives, known without making it. The config must be completed.
std::int64_t parameter_tensor_count(const ModelConfig& config);

/// All parameters in module order. A tied head is the embedding's own table and is not listed.
/// The config must be completed.
std::vector<ParameterInfo> parameter_list(const ModelConfig& config);

}  // namespace minimind
