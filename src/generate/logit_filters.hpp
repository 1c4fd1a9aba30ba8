// What happens to the logits of one position before a token is drawn, in this order:
//
//   temperature          logit / temperature: below 1 sharpens the choice, above 1 flattens it
//   repetition penalty   once for each id that is in the row already (prompt included): a score above 0 is divided by the
//                        penalty, any other multiplied by it, so that a penalty above 1 always lowers it
//                        (Keskar et al. 2019)
//   top-k                all below the k-th largest score are dropped; scores equal to it stay
//   top-p                sorted from the largest, each token is dropped if the probabilities *before* it add up to more
//                        than p: the first always stays (nucleus sampling, Holtzman et al. 2020)
//   softmax              scores become probabilities; what was dropped has none
//
// A dropped score is -infinity. All vectors are [V], in float32 as in the reference; only the running sum of top-p is
// kept in double, as PyTorch's cumsum does it.
#pragma once

#include <armadillo>
#include <cstdint>
#include <vector>

namespace minimind {

/// Precondition: temperature > 0.
arma::fvec with_temperature(arma::fvec logits, double temperature);

/// 1 changes nothing. Precondition: penalty > 0, every id in [0, V). An id that comes twice counts once.
arma::fvec with_repetition_penalty(arma::fvec logits, const std::vector<std::int64_t>& ids, double penalty);

/// 0 switches it off; more than V is V. Precondition: k >= 0.
arma::fvec with_top_k(arma::fvec logits, std::int64_t k);

/// 1 or more switches it off. Among equal scores the smaller id comes first. Precondition: p >= 0.
arma::fvec with_top_p(arma::fvec logits, double p);

/// Probabilities that add up to 1. Precondition: the largest logit is finite.
arma::fvec softmax(arma::fvec logits);

/// The ids that were not dropped, the largest score first, the smaller id first among equal ones.
std::vector<std::int64_t> candidates(const arma::fvec& logits);

/// How many were not dropped.
std::int64_t candidate_count(const arma::fvec& logits);

}  // namespace minimind
