// The result of a filled-in worksheet: a line an item and the sum, or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "console/terminal.hpp"
#include "lessons/answers.hpp"
#include "lessons/progress.hpp"

namespace minimind {

struct ItemResult {
    std::string written;
    Judgement judgement;
    bool was_right_before = false;  // in an earlier sitting, and not asked again

    bool is_right() const { return judgement.verdict == Verdict::right || was_right_before; }
};

/// A worksheet with what was written into it. `results` has one entry for each item, in the same order.
struct FilledWorksheet {
    int lesson = 0;
    Round round = Round::first;
    Sizes sizes;
    std::string flags;  // that choose the sizes, for the commands that are suggested: " --hidden_size 96"
    std::vector<Item> items;
    std::vector<ItemResult> results;

    bool is_all_right() const;
};

/// The same sitting with another flag: "minimind lessons 9 --hint ID --transfer --hidden_size 96".
std::string command_with(const FilledWorksheet& sheet, const std::string& flag);

/// "B 2  S 6  H 64 ...": what the letters stand for at these sizes.
std::string sizes_text(const Sizes& sizes);
/// What the letters are short for: "B rows, S tokens a row, H hidden_size, ...".
std::string letters_text(const Sizes& sizes, Language language);

/// What the verdict is called in prose: "wrong unit", “单位不对”. In colour.
std::string verdict_text(Verdict verdict, Language language, const Paint& paint);

/// One line for each item with what was written, and what there is to say about it.
std::string result_lines(const FilledWorksheet& sheet, Language language, const Paint& paint);
/// "12 of 15 right, 2 wrong, 1 blank", and the command to go on with.
std::string result_summary(const FilledWorksheet& sheet, Language language);
nlohmann::ordered_json result_json(const FilledWorksheet& sheet, Language language);

/// Judged answers, for the progress; blanks and what cannot be read are no attempts.
std::vector<Attempt> attempts_of(const FilledWorksheet& sheet);

}  // namespace minimind
