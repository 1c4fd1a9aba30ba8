// Judging what a learner wrote into a blank.
//
// A count may be rounded if it says so, by a unit or by zeros from a million on: it is right if the right answer rounds to
// what was written, with at least three digits, and no listed mistake rounds to the same. A real is right within the
// answer's tolerance. A word is right if it is one of the answer's names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lessons/worksheet.hpp"
#include "lessons/written_answer.hpp"

namespace minimind {

enum class Verdict {
    right,
    wrong,
    blank,
    unreadable,  // not of the kind that is asked for, or rounded too far to be judged
    wrong_unit,  // the right number, but 63.9 for 63.9M, bytes for numbers, per cent for a fraction
};

/// "right", "wrong", "blank", "unreadable", "wrong_unit": the same in every language.
std::string verdict_name(Verdict verdict);

struct Judgement {
    Verdict verdict = Verdict::blank;
    Words message;                       // what to tell the learner; empty if there is nothing to add
    std::optional<std::size_t> mistake;  // the item's mistake that it is
};

Judgement judge(const Item& item, std::string_view written, const Sizes& sizes);

/// B, S, H, ..., hidden_size, ...: what stands for these sizes in a shape.
Symbols symbols_of(const Sizes& sizes);

/// Whether the right answer differs from that of each listed mistake, so that a right answer shows understanding.
bool tells_apart(const Item& item);

/// How an answer of this kind may be written: "a shape such as (2, 3) or 2x3".
Words form_of(const Answer& answer);

}  // namespace minimind
