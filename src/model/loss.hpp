// The training goal of a causal language model: the logits at position t predict the token at t + 1.
//
//   loss = mean of -log softmax(logits[:, :-1])[labels[:, 1:]]     over the positions whose label is not -100
#pragma once

#include <armadillo>
#include <vector>

#include "model/minimind_model.hpp"
#include "model/stage.hpp"

namespace minimind {

/// A label that does not count: padding, or a prompt that the model should not learn to say.
inline constexpr std::int64_t ignore_index = -100;

struct Loss {
    double mean = 0.0;             // NaN when no label counts, as in the reference
    std::vector<float> per_token;  // [B, S-1], 0 where the label is -100
    std::int64_t counted = 0;      // labels that are not -100
};

/// Throws Error for a label that is neither -100 nor in the vocabulary.
void check_labels(const TokenIds& labels, std::int64_t vocab_size);

/// logits [B, S, V], labels [B, S]. Precondition: check_labels.
Loss shifted_cross_entropy(const arma::fmat& logits, const TokenIds& labels, const StageTrace& trace);

}  // namespace minimind
