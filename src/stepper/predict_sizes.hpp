// The sizes that questions are about, and sentences with them.
#pragma once

#include "lessons/prose.hpp"
#include "stepper/predict.hpp"

namespace minimind {

struct QuestionSizes {
    explicit QuestionSizes(const Recording& recording);

    Sizes sizes;
    Prose prose;  // {B} {S} {P} {T} {H} {h} {k} {D} {hD} {kD} {I} {E} {K} {p}: the names below
    bool has_mask = false;

    std::int64_t B, S, P, T;  // T = P + S
    std::int64_t H, h, k, D;
    std::int64_t E, K;
    std::int64_t p;  // a position of this pass that is neither the first nor the last, where there is one
};

}  // namespace minimind
