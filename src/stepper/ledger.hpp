// The residual stream as an account: every write to it (embedding, attention 0, mlp 0, ...) at one position, and what
// it comes to. Nothing else ever changes the stream, so that
//
//   final stream = embedding + sum over layers of (attention + mlp)
//
// The logit of a token is linear in the stream once the final norm's scale is known, so that each write has a share:
//
//   logit = sum over writes of  W_head[id] . (weight * write) / sqrt(mean(final^2) + eps)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console/language.hpp"
#include "stepper/recording.hpp"

namespace minimind {

struct LedgerEntry {
    Words name;                 // "attention 0"
    Site site;                  // whose output it is
    std::vector<double> write;  // [H]
    double rms = 0.0;
    double ratio = 0.0;       // rms / the stream's rms before it; NaN for the first
    double cosine = 0.0;      // with the stream before it; NaN for the first
    double stream_rms = 0.0;  // after it
    double share = 0.0;       // of the target's logit
};

struct Ledger {
    std::vector<LedgerEntry> entries;  // in order of time. An edit of the stream itself is an entry, too
    double final_rms = 0.0;            // of the stream as it was recorded
    double largest_gap = 0.0;          // |sum of writes - recorded stream|: float32 rounding of the additions
    double allowed_gap = 0.0;
    double logit = 0.0;                  // the sum of the shares
    std::optional<double> stored_logit;  // as the pass computed it; nothing where logits_to_keep leaves it out
};

/// Row b, position s of this pass (not counting cached ones). `target`: a token id.
/// Preconditions: in range.
Ledger ledger_of(const Recording& recording, std::int64_t b, std::int64_t s, std::optional<std::int64_t> target = {});

}  // namespace minimind
