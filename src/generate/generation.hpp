// The loop that makes text: run the model, choose a token from the logits of the last position, append it, repeat.
//
//   for step in 0 .. max_new_tokens - 1:
//       logits = model(ids)[:, -1]            with a KV cache only the tokens that are not in it are computed
//       ids    = ids + [choose(row) for each row]
//
// Rows go through the loop together and in order. A row that has chosen `eos` is finished: it still draws, so that the
// other rows get the numbers they would get anyway, but eos is appended to it. The loop ends when all rows are finished,
// after max_new_tokens, when a row has as many ids as the model has positions, or when the observer says so.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "generate/sampler.hpp"
#include "model/causal_lm.hpp"

namespace minimind {

struct GenerationSettings {
    std::int64_t max_new_tokens = 512;
    std::optional<std::int64_t> eos = 2;  // nothing: no token ends a row
    bool use_cache = true;
    AttentionMask attention_mask;  // of the prompt: [B, S] as fmat(S, B), or empty; new tokens are always seen
    Hook* hook = nullptr;          // sees every forward pass
};

/// What one step did. The references are valid during the call of the observer only.
struct GenerationStep {
    std::int64_t index;                       // 0, 1, 2, ...
    const TokenIds& input_ids;                // what the model computed: the prompt, then with a cache one token a row
    std::int64_t past;                        // positions that were in the cache before
    const std::vector<SampledToken>& tokens;  // the choice of each row, finished ones included
    const std::vector<std::int64_t>& appended;  // what was appended to each row: the choice, or eos if it was finished
};

/// Called after each step. False ends the generation.
using StepObserver = std::function<bool(const GenerationStep&)>;

struct Generation {
    enum class Ending { finished, max_new_tokens, max_positions, stopped };

    TokenIds ids;                 // [B, S + new_tokens], the prompt included
    std::int64_t new_tokens = 0;  // of each row
    Ending ending = Ending::finished;
};

/// Precondition: at least one id a row. Throws Error for an id outside the vocabulary and for logits that are not finite.
Generation generate(const CausalLm& model, const TokenIds& prompt, const GenerationSettings& settings, Sampler& sampler,
                    const StepObserver& observer = {});

}  // namespace minimind
