// Filling in a worksheet item by item at a terminal. It reads and writes streams, so that a test can play the learner.
//
//    3/15  same_token
//   one id stands at two positions: in how many entries do its two rows differ after the embedding
//   > 64
//     wrong: all 64 entries would differ if a position vector were added here, ...
//   > hint
//     hint 1 of 3: ...
//   > 0
//     right
//
// Nobody is trapped: an empty line goes on, `hint` helps in three steps, `show` tells the answer, `back` returns.
#pragma once

#include <functional>
#include <iosfwd>

#include "lessons/check_report.hpp"

namespace minimind {

struct DialogueStyle {
    Language language = Language::en;
    Paint paint = Paint(false);
    std::size_t width = 80;
};

/// Asks for the items whose result is not right yet and fills in `sheet.results`. `on_answer` is called after each answer
/// that was judged. Ends after the last item, with `quit`, or at the end of the input.
void run_dialogue(FilledWorksheet& sheet, std::istream& in, std::ostream& out, const DialogueStyle& style,
                  const std::function<void(const Item&, const Judgement&)>& on_answer);

}  // namespace minimind
