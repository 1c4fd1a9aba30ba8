// SwiGLU (Shazeer 2020): a feed-forward network in which one branch gates the other, value by value.
//
//   out = Wdown (act(Wgate x) * Wup x)
#pragma once

#include <armadillo>
#include <string>

#include "model/stage.hpp"

namespace minimind {

struct FeedForward {
    arma::fmat gate_proj;  // weight [I, H]
    arma::fmat down_proj;  // weight [H, I]
    arma::fmat up_proj;    // weight [I, H]

    /// x [B, S, H] -> [B, S, H]
    arma::fmat forward(const arma::fmat& x, const std::string& hidden_act, const StageTrace& trace) const;
    /// The same for the tokens of one expert, whose inner stages are not announced.
    arma::fmat forward(const arma::fmat& x, const std::string& hidden_act) const;
};

}  // namespace minimind
