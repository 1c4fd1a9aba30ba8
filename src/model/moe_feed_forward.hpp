// A sparse mixture of experts (Shazeer et al. 2017; load balancing of Fedus et al. 2021): a router picks K of E
// feed-forward networks for every token.
//
//   p = softmax(Wg x)         topk_weight = the K largest p, divided by their sum + 1e-20 if norm_topk_prob
//   out = sum over the K chosen experts of topk_weight * expert(x)
//   aux = coef * E * sum(load * mean(p))        load[k, e]: the share of tokens whose k-th choice is e (training only)
#pragma once

#include <armadillo>
#include <vector>

#include "model/config.hpp"
#include "model/feed_forward.hpp"
#include "model/stage.hpp"

namespace minimind {

/// What the router decided: the K experts of every token, largest weight first.
struct Routing {
    std::vector<std::int64_t> topk_idx;  // [B*S, K]
    arma::fmat topk_weight;              // [B*S, K] as fmat(K, B*S)
    arma::fmat router_probs;             // [B*S, E] as fmat(E, B*S)
};

/// What an MLP adds to the residual stream, and the router's loss: 0 for a dense MLP and outside training.
struct MlpOutput {
    arma::fmat hidden_states;  // [B, S, H]
    double aux_loss = 0.0;
};

struct MoeFeedForward {
    arma::fmat gate;  // weight [E, H]: the router
    std::vector<FeedForward> experts;

    /// x [B, S, H]. The tokens of an expert are gathered, so that each expert is one product a projection.
    MlpOutput forward(const arma::fmat& x, const ModelConfig& config, bool training, const StageTrace& trace) const;

  private:
    Routing route(const arma::fmat& x, const ModelConfig& config, const StageTrace& trace) const;
};

}  // namespace minimind
