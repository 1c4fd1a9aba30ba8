// What an edit does to the rest of the pass: two recordings compared stage by stage.
#pragma once

#include <optional>
#include <vector>

#include "stepper/difference.hpp"
#include "stepper/recording.hpp"

namespace minimind {

/// One stage in two passes.
struct StageChange {
    Site site;
    std::optional<Difference> difference;  // nothing for an expert that got other tokens
    Shape before;                          // {} also where the stage is missing
    Shape after;

    bool is_changed() const { return !difference || difference->unequal > 0; }
};

/// In order of time: the stages outside the blocks, all of one layer, and the residual stream with its writes of the
/// others. Only what both recordings keep, and experts that only one of them has.
std::vector<StageChange> changes_between(const Recording& before, const Recording& after, int layer);

/// Is it one of the stages that such a comparison shows?
bool is_shown_in_comparison(Site site, int layer);

/// What a row's last logits say: the likeliest token.
struct NextToken {
    std::int64_t id = 0;
    double probability = 0.0;
};
NextToken next_token(const Recording& recording, std::int64_t row);
/// The probability of one token at the same place.
double next_probability(const Recording& recording, std::int64_t row, std::int64_t id);

}  // namespace minimind
