// Which positions of which rows a change reaches: two passes over inputs that differ in one place, compared bit by bit.
//
//   embedding, norms, q, k, v, RoPE, MLP, lm_head      work on each position by itself: one cell stays one cell
//   scores                                             every query meets the changed key, even those before it
//   masked_scores and what follows                     the mask hides it from them: the causal wedge opens
//   other rows of the batch                            nothing ever reaches them
//
// A product over all tokens computes each column by itself, so that unchanged inputs give the same bits. That holds no
// more where an expert gets another number of tokens: its product is cut into other pieces, and unchanged tokens may
// differ by rounding. Such cells are told apart by their size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console/language.hpp"
#include "stepper/recording.hpp"

namespace minimind {

enum class Cell {
    same,
    changed,
    rounding,  // changed by less than 1e-6 of the stage's largest number, after experts got other tokens
    absent,    // the stage has no value there: a token that did not choose the expert, the last position of the loss
};

/// What a stage has at each position of each row; positions count from the first cached one: [B][P + S].
struct TouchedStage {
    Site site;
    bool has_rows = true;                  // false: one row for the whole batch (rotary tables) or one number (loss)
    std::vector<std::vector<Cell>> cells;  // without rows: one row; of a scalar one cell
};

/// Both passes have the same sizes. `layer` as in changes_between.
std::vector<TouchedStage> touched_stages(const Recording& before, const Recording& after, int layer);

/// What is changed: a token, or one position of a stage.
struct Touch {
    std::int64_t row = 0;
    std::int64_t position = 0;  // from the first cached one
    std::optional<Site> stage;  // nothing: the token
    std::int64_t id = 0;        // of a token: the new one
};

/// The two passes, both on the same code path: a touched stage is scaled by 1 in the first.
struct TouchedPasses {
    std::shared_ptr<const Recording> before;
    std::shared_ptr<const Recording> after;
};
/// Throws Error for a position or an id that is not there, a stage that cannot be changed or has no value there.
TouchedPasses run_touched(const std::shared_ptr<const Recording>& recording, const Touch& touch);

/// What the picture shows, in sentences: where other positions begin to change, whether anything reaches back, and
/// whether other rows change.
std::string touch_summary(const std::vector<TouchedStage>& stages, const Touch& touch, Language language,
                          std::size_t width);

}  // namespace minimind
