// `predict`: before a stage is shown, one question about it. The answer is judged, known mistakes are named, and a
// score is kept. Nobody is held up: Enter skips, `show` gives the answer, `off` ends it, and so does the end of the input.
#pragma once

#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lessons/worksheet.hpp"
#include "stepper/command.hpp"

namespace minimind {

/// What was asked in a session, and how it went.
struct PredictState {
    std::set<std::string> asked;  // ids of items: each is asked once
    int right = 0;                // at the first try
    int right_later = 0;
    int shown = 0;
    int skipped = 0;

    int total() const { return right + right_later + shown + skipped; }
};

/// The questions about a stage, at the sizes of the pass; empty if there are none. A point's second question comes when
/// the same stage is reached in another layer.
std::vector<Item> questions_before(const Recording& recording, Site site);

/// B, S, P and the config of a pass, as the answers are judged.
Sizes sizes_of_pass(const Recording& recording);

// ---- the questions by topic
struct QuestionSizes;
std::vector<Item> projection_questions(const QuestionSizes& n, Point point);  // predict_projections.cpp
std::vector<Item> attention_questions(const QuestionSizes& n, Point point);   // predict_attention.cpp
std::vector<Item> mlp_questions(const QuestionSizes& n, Point point);         // predict_mlp.cpp

}  // namespace minimind
