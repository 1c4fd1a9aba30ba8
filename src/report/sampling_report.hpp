// How one token was chosen, for `minimind generate --trace_sampling`: the logits, how many tokens each filter leaves, the
// candidates with their probabilities and text, and the choice.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "generate/sampler.hpp"
#include "tokenizer/tokenizer.hpp"

namespace minimind {

/// One choice of one row.
struct SamplingReport {
    const SampledToken& token;
    const SamplingSettings& settings;
    const Tokenizer* tokenizer = nullptr;  // null: ids without text
    std::int64_t step = 0;
    std::int64_t row = 0;
    std::int64_t appended = 0;  // the choice, or eos if the row was finished

    /// The text as lines, with at most `limit` candidates.
    std::string text(std::int64_t limit = 10) const;
    /// The same with at most `limit` logits and candidates: step, row, logits, filters, candidates, id, text, appended.
    nlohmann::ordered_json json(std::int64_t limit = 50) const;
};

/// The text that a token adds, in quotes and safe to print: "\n", "你", "\xe4\xbd"; "" without a tokenizer.
std::string quoted_token(const Tokenizer* tokenizer, std::int64_t id);

}  // namespace minimind
