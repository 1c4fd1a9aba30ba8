// Rotary position embedding (Su et al. 2021), with YaRN (Peng et al. 2023) for longer texts.
//
// A head of D numbers is D/2 pairs (x[i], x[i + D/2]). At position t pair i is turned by the angle t * f_i,
//
//   f_i = theta^(-2i/D),        x' = x * cos + rotate_half(x) * sin,        rotate_half(x) = (-x[D/2:], x[:D/2])
//
// so that the product of a query and a key depends on the distance of their positions only.
#pragma once

#include <armadillo>
#include <vector>

#include "core/shape.hpp"
#include "model/config.hpp"

namespace minimind {

/// cos and sin of the angles of some positions: [S, D] each, as fmat(D, S). The D/2 angles stand twice.
struct RotaryTables {
    arma::fmat cos;
    arma::fmat sin;
};

/// f_i for i < D/2, in float32. With inference_rope_scaling YaRN slows the low frequencies down:
///   inv_dim(b) = D ln(original / (2 pi b)) / (2 ln theta): the pair that turns b times within the original length
///   low = max(floor(inv_dim(beta_fast)), 0), high = min(ceil(inv_dim(beta_slow)), D/2 - 1)
///   ramp_i = clamp((i - low) / max(high - low, 0.001), 0, 1)
///   f_i = f_i * ((1 - ramp_i) + ramp_i / factor)
/// if max_position_embeddings is longer than the original length.
std::vector<float> rope_frequencies(const ModelConfig& config);

/// What both tables are multiplied by: YaRN's attention factor, else 1.
float rope_attention_factor(const ModelConfig& config);

/// The rows of the tables for positions start_pos to start_pos + seq - 1. The angles are float32 products, as in the
/// reference: at large positions float64 would give other values.
RotaryTables rope_tables(const ModelConfig& config, std::int64_t start_pos, std::int64_t seq);

/// Turns every head of every token: x [B, S, heads*D] as fmat(heads*D, B*S).
arma::fmat apply_rope(arma::fmat x, const RotaryTables& tables, Batch batch);

}  // namespace minimind
