// The residual stream through all blocks, normalised in two places. F is attention, then the MLP.
//
//   pre-norm    x = x + F(norm(x))       MiniMind, GPT-2, Llama: nothing but sums touches the stream
//   post-norm   x = norm(x + F(x))       the Transformer of 2017 (there with LayerNorm): every sum is normalised
//
// Both run the same blocks, weights and norms; only the place of the norm differs.
#pragma once

#include <string>
#include <vector>

#include "model/causal_lm.hpp"

namespace minimind {

/// One block. RMS is mean_rms, the labs' measure: the mean over all tokens. A ratio is that of the increment by that of
/// the stream it is added to; a cosine is between these two, the mean over tokens.
struct BlockStep {
    double stream = 0.0;  // RMS of what comes in
    double attn = 0.0;    // RMS of what attention adds
    double mlp = 0.0;     // RMS of what the MLP adds
    double out = 0.0;     // RMS of what goes out
    double attn_ratio = 0.0;
    double mlp_ratio = 0.0;
    double attn_cosine = 0.0;
    double mlp_cosine = 0.0;
    double embedding_cosine = 0.0;  // between what goes out and the embedding at the start
};

struct ResidualStream {
    std::vector<BlockStep> steps;  // one a block
    arma::fmat last;               // [B, S, H], what the last block gives
};

/// Precondition: the ids are in the vocabulary, and no more than the model has positions.
ResidualStream pre_norm_stream(const CausalLm& model, const TokenIds& ids, const AttentionMask& mask);
ResidualStream post_norm_stream(const CausalLm& model, const TokenIds& ids, const AttentionMask& mask);

}  // namespace minimind
