// Attention as a textbook writes it, one head after the other with whole matrices:
//
//   scores = k^T q / sqrt(D), -inf where the key comes after the query;  weights = softmax over the keys;  z = v weights
#pragma once

#include <armadillo>

#include "model/attention.hpp"

namespace minimind {

struct ManualAttention {
    arma::fmat first_weights;  // of batch row 0, head 0: [S keys, S queries]
    arma::fmat output;         // [B, S, H]
};

/// The same numbers as the module gives for x [B, S, H]: projections, norms, rotation, all heads, merged and projected.
ManualAttention attend_by_hand(const Attention& attn, const arma::fmat& x, const ModelConfig& config, Batch batch);

}  // namespace minimind
