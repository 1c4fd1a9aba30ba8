// Grouped-query self-attention with QK-norm and rotary positions, as Qwen3 and MiniMind have it:
//
//   q, k, v = Wq x, Wk x, Wv x                        h, k and k heads of D
//   q, k    = rope(q_norm(q)), rope(k_norm(k))        RMSNorm over D, then a turn by the position
//   z       = softmax(q k^T / sqrt(D) + mask) v       every k/v head serves h/k consecutive query heads
//   out     = Wo merge_heads(z)
#pragma once

#include <armadillo>

#include "model/kv_cache.hpp"
#include "model/rope.hpp"
#include "model/scaled_dot_product.hpp"
#include "model/stage.hpp"

namespace minimind {

/// What enters every block beside the hidden states.
struct BlockInput {
    const ModelConfig& config;
    Batch batch;                              // B rows of S new tokens
    const RotaryTables& position_embeddings;  // cos, sin [S, D], from the first new position
    const AttentionMask& attention_mask;      // [B, T], empty if nothing is masked
};

struct Attention {
    arma::fmat q_proj;  // weight [h*D, H]
    arma::fmat k_proj;  // weight [k*D, H]
    arma::fmat v_proj;  // weight [k*D, H]
    arma::fmat o_proj;  // weight [H, h*D]
    arma::fmat q_norm;  // weight [D]
    arma::fmat k_norm;  // weight [D]

    /// x [B, S, H] -> the increment to the residual stream [B, S, H]. A cache (null: none) is extended by k and v.
    arma::fmat forward(const arma::fmat& x, const BlockInput& input, LayerCache* past_key_value,
                       const StageTrace& trace) const;
};

}  // namespace minimind
