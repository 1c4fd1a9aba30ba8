// The logit lens (nostalgebraist 2020): what the model would say if it stopped after a layer. The final norm and
// lm_head are applied to the residual stream as that layer leaves it; after the last layer this is the model's own answer.
#pragma once

#include <cstdint>
#include <vector>

#include "stepper/recording.hpp"

namespace minimind {

struct LensToken {
    std::int64_t id = 0;
    double probability = 0.0;
};

struct LensRow {
    Site site;                       // embed_tokens, or a layer's resid_post
    std::vector<LensToken> top;      // largest first
    double final_probability = 0.0;  // of the token that is first after the last layer
};

/// Row b, position s of this pass (not counting cached ones): one row for the embedding and each layer, `count` tokens
/// in each.
std::vector<LensRow> lens_of(const Recording& recording, std::int64_t b, std::int64_t s, std::int64_t count);

}  // namespace minimind
