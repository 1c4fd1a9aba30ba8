// The choice of the next token of one row, with every intermediate kept so that it can be shown.
#pragma once

#include <armadillo>
#include <cstdint>
#include <vector>

#include "random/generator.hpp"

namespace minimind {

/// How a token is chosen. The defaults are the reference's.
struct SamplingSettings {
    double temperature = 0.85;
    double repetition_penalty = 1.0;  // 1: off
    std::int64_t top_k = 50;          // 0: off
    double top_p = 0.85;              // 1 or more: off
    bool greedy = false;              // the largest score after the filters, and nothing is drawn
};

/// Throws Error for a value outside its range; the messages name the flags.
void check_settings(const SamplingSettings& settings);

/// One choice, stage by stage. All vectors are [V]; what a filter dropped is -infinity.
struct SampledToken {
    arma::fvec logits;                    // as the model gave them
    arma::fvec after_temperature;         // logits / temperature
    arma::fvec after_repetition_penalty;  // ids of the row made less likely
    arma::fvec after_top_k;
    arma::fvec after_top_p;
    arma::fvec probabilities;  // softmax(after_top_p)
    std::int64_t id = 0;       // the choice
};

class Sampler {
  public:
    /// Throws Error as check_settings does.
    Sampler(const SamplingSettings& settings, std::uint64_t seed);

    /// Chooses the token that follows `ids`, of which `logits` [V] are the last position's. Draws V random numbers, or
    /// none if greedy: as torch.multinomial(probabilities, 1) after torch.manual_seed(seed). Throws Error if the scores
    /// are no numbers (NaN or infinite).
    SampledToken choose(arma::fvec logits, const std::vector<std::int64_t>& ids);

    const SamplingSettings& settings() const { return settings_; }

  private:
    SamplingSettings settings_;
    Generator generator_;
};

}  // namespace minimind
