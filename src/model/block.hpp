// One transformer block, pre-norm (Xiong et al. 2020): attention and MLP each read a normalised copy of the residual
// stream and add their increment to the stream itself, which nothing else touches.
//
//   mid = x   + attn(input_layernorm(x))
//   out = mid + mlp(post_attention_layernorm(mid))
#pragma once

#include <armadillo>

#include "model/attention.hpp"
#include "model/feed_forward.hpp"
#include "model/moe_feed_forward.hpp"

namespace minimind {

struct Block {
    arma::fmat input_layernorm;  // weight [H]
    Attention self_attn;
    arma::fmat post_attention_layernorm;  // weight [H]; despite its name it is the norm before the MLP
    FeedForward mlp;                      // used unless use_moe
    MoeFeedForward moe;                   // used if use_moe; named `mlp` in a checkpoint, too

    struct Output {
        arma::fmat hidden_states;  // [B, S, H]
        double aux_loss = 0.0;     // of the router, 0 for a dense block
    };

    /// x [B, S, H]: the residual stream. `training` adds the router's auxiliary loss.
    Output forward(arma::fmat x, const BlockInput& input, LayerCache* past_key_value, bool training,
                   const StageTrace& trace) const;
};

}  // namespace minimind
