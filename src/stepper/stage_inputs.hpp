// What a stage reads, in words and as stages of the same pass: q_rope reads q_norm and the two rotary tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stepper/recording.hpp"

namespace minimind {

struct StageInput {
    std::string name;          // "q_norm", "cos", "input_ids", "cached keys"
    std::optional<Site> site;  // nothing for what is no stage: ids, labels, the cache of before
    Shape shape;
    std::vector<std::string> axes;  // {"B", "S", "h", "D"}
};

/// In the order of the hook table. Experts that no token chose are left out.
std::vector<StageInput> inputs_of(const Recording& recording, Site site);

/// The stage whose values enter a block or the final norm: resid_post of the block before, or the embedding.
Site stream_before(int layer);

/// Keys and values as the scores see them: with a cache k_cache and v_cache, else k_rope and v.
Site keys_of(const Recording& recording, int layer);
Site values_site(const Recording& recording, int layer);

}  // namespace minimind
