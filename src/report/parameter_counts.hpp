// How many parameters a model has and where they are, from its config alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "model/parameters.hpp"

namespace minimind {

/// One block, by its parts. All blocks of a model are alike.
struct BlockCounts {
    std::int64_t self_attn = 0;  // four projections and the two QK-norms
    std::int64_t mlp = 0;        // dense: gate, up and down; MoE: router and all experts
    std::int64_t norms = 0;      // input_layernorm and post_attention_layernorm
    std::int64_t expert = 0;     // one of the experts, 0 for a dense model

    std::int64_t total() const { return self_attn + mlp + norms; }
};

/// A tensor that is computed from the config and never saved or trained.
struct Buffer {
    std::string name;
    Shape shape;
};

/// The multiply-adds of one token in a forward pass. A matrix-vector product with a weight [out, in] has out * in.
struct MultiplyAdds {
    std::int64_t projections = 0;  // q, k, v and o of all layers
    std::int64_t scores = 0;       // QK^T: h * D for every key, all layers
    std::int64_t values = 0;       // AV: the same
    std::int64_t mlp = 0;          // of an MoE model the router and the experts that a token uses
    std::int64_t lm_head = 0;
    std::int64_t keys = 0;  // for how many keys `scores` and `values` are

    std::int64_t total() const { return projections + scores + values + mlp + lm_head; }
};

struct ParameterCounts {
    std::int64_t total = 0;      // a tied table once
    std::int64_t active = 0;     // what one token uses: all but the experts that are not chosen
    std::int64_t embedding = 0;  // V * H
    std::int64_t lm_head = 0;    // V * H if untied, else 0: it is the embedding's table
    std::int64_t final_norm = 0;
    std::int64_t blocks = 0;  // all of them
    BlockCounts block;
    std::vector<Buffer> buffers;
};

/// The config must be completed.
ParameterCounts count_parameters(const ModelConfig& config);
MultiplyAdds count_multiply_adds(const ModelConfig& config, std::int64_t keys);

/// As MiniMind's trainer prints it: "Model Params: 63.91M", or "Model Params: 198.42M-A63.94M" if not all are active.
std::string trainer_line(const ParameterCounts& counts);

}  // namespace minimind
