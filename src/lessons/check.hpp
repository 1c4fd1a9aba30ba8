// Filling in a lesson's worksheet: the flags of `minimind lessons N` that do it, and what they do.
//
//   --check           on a terminal: asks item by item (check_dialogue.hpp); from a pipe: reads lines "id = answer"
//   --check FILE|-    reads such lines from a file or from standard input (check_sheet.hpp)
//   --worksheet       prints the blank sheet to fill in
//   --hint ID         the concept; --hint ID --step 2 (or --hint ID --hint ID) the formula; step 3 with the numbers
//   --show ID         how the right answer comes about
//   --transfer        all of this at sizes that no example has: only there an item counts as mastered
//   --reset N|all     forgets the progress
//
// The model's flags choose the sizes; without them they are those of the lesson's own examples.
//
//   CheckFlags check;
//   check.add(args);
//   if (!args.parse(words)) return 0;
//   if (check.is_given()) return check.run(lesson, console, is_json, words);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console/console_flags.hpp"
#include "console/input_flags.hpp"
#include "console/model_flags.hpp"
#include "lessons/check_report.hpp"

namespace minimind {

class CheckFlags {
  public:
    CheckFlags() = default;
    CheckFlags(const CheckFlags&) = delete;  // the flags are bound to this object
    CheckFlags& operator=(const CheckFlags&) = delete;

    /// Adds every flag above, and the model's. `args` must outlive this.
    void add(Arguments& args);

    /// Was one of the flags above given?
    bool is_given() const;

    /// Does what was asked for. `lesson` is the number on the command line; `--reset` needs none. Returns the exit code:
    /// 0, or 1 where an answer is wrong or missing. Throws Error for an unknown lesson, id or unreadable sheet. `words` is
    /// the command line: what it says of the sizes is said again in the commands that are suggested.
    int run(std::optional<int> lesson, const ConsoleFlags& console, bool is_json,
            const std::vector<std::string>& words);

  private:
    void add_sizes(Arguments& args);
    int wanted_lesson(std::optional<int> lesson);
    Sizes sizes(int lesson);
    int forget(std::optional<int> lesson, const ConsoleFlags& console, bool is_json) const;

    int check(FilledWorksheet& sheet, const ConsoleFlags& console, bool is_json) const;
    int print_worksheet(const FilledWorksheet& sheet, Language language, bool is_json) const;
    int give_hint(const FilledWorksheet& sheet, Language language, bool is_json) const;
    int show(const FilledWorksheet& sheet, Language language, bool is_json) const;

    const Arguments* args_ = nullptr;
    ModelFlags model_;
    InputFlags input_;
    std::string source_;  // of --check: a file, "-" or "" for the terminal
    bool wants_worksheet_ = false;
    std::vector<std::string> hints_;  // the same id again is the next step
    std::int64_t step_ = 0;
    std::string shown_id_;
    bool transfer_ = false;
    std::string reset_;
};

}  // namespace minimind
