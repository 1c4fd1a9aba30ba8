// Causal attention of every query head over its keys and values:
//
//   scores = q k^T / sqrt(D)         masked: -inf where the key comes after the query, -1e9 added where it is padding
//   z = softmax(scores) v
//
// Query head j reads key/value head j / (h / k): with k = h it is multi-head attention, with k = 1 multi-query, between
// them grouped-query attention (Ainslie et al. 2023). Keys and values are not copied for it: the query heads that share
// them are computed together, in one product, so that they are read once. The work is done in blocks of query rows, each
// with the keys up to its last row only: what the causal mask hides is skipped, and memory does not grow with S^2 unless
// a hook asks for the scores of all heads.
#pragma once

#include <armadillo>

#include "model/products.hpp"
#include "model/stage.hpp"

namespace minimind {

/// Heads of all tokens where they lie: [B, length, heads, D].
struct Heads {
    const float* data = nullptr;
    std::int64_t batch = 0;
    std::int64_t length = 0;
    std::int64_t heads = 0;
    std::int64_t head_dim = 0;
    std::int64_t batch_stride = 0;  // floats from one batch row to the next

    /// Head j of batch row b: one column a position.
    Columns head(std::int64_t b, std::int64_t j) const;
    /// As [B, length, heads * repeat, D]: each head `repeat` times in a row.
    TensorView view(std::int64_t repeat = 1) const;
};

/// 0/1 for every key of every row, [B, T] as fmat(T, B). Empty: nothing is masked.
using AttentionMask = arma::fmat;

/// z, the weighted values, laid out as the merged heads [B, S, h*D]. q has S positions, k and v have T = P + S, of
/// which the last S are q's own.
arma::fmat scaled_dot_product(const Heads& q, const Heads& k, const Heads& v, const AttentionMask& mask,
                              const StageTrace& trace);

}  // namespace minimind
