// What a learner has got right so far: a small JSON file, $XDG_STATE_HOME/minimind/progress.json (by default in
// ~/.local/state), keyed by lesson, item and round:
//
//   {"schema_version": 1,
//    "lessons": {"9": {"embed_out": {"first":    {"right": true, "tries": 2, "last": "right"},
//                                    "transfer": {"right": true, "mastered": true, "tries": 1, "last": "right"}}}}}
//
// The first round is at the lesson's sizes, the transfer round at others. What was right once stays right. Several
// processes may write at once and nothing is lost: each takes a lock, reads, adds its own, and puts a new file in place of
// the old one in one step. A file that cannot be read, or is of a newer version, is kept under another name. No trouble
// with the file is an error: a learner's answers are judged all the same.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "console/language.hpp"
#include "console/terminal.hpp"
#include "core/error.hpp"

namespace minimind {

enum class Round { first, transfer };

/// "first" or "transfer".
std::string round_name(Round round);

struct RoundProgress {
    bool right = false;     // at least once
    bool mastered = false;  // ... where no listed mistake gives the same answer; in the transfer round only
    std::int64_t tries = 0;
    std::string last;  // the last verdict
};

using ItemProgress = std::map<Round, RoundProgress>;
using LessonProgress = std::map<std::string, ItemProgress>;  // by the item's id

struct Progress {
    std::map<int, LessonProgress> lessons;

    /// Of an item that was never tried: all false.
    RoundProgress of(int lesson, const std::string& id, Round round) const;
};

/// One judged answer.
struct Attempt {
    int lesson = 0;
    std::string id;
    Round round = Round::first;
    bool is_right = false;
    bool tells_apart = true;  // the right answer differs from every listed mistake
    std::string verdict;
};

void add_attempt(Progress& progress, const Attempt& attempt);

/// A file that a later version of this program wrote.
class NewerProgress : public Error {
  public:
    using Error::Error;
};

std::string progress_json(const Progress& progress);
/// Throws Error if the text is not such a file, and NewerProgress if its schema_version is not known.
Progress parse_progress(const std::string& text, const std::string& where);

class ProgressStore {
  public:
    /// No path: nothing is kept.
    explicit ProgressStore(std::optional<std::filesystem::path> path) : path_(std::move(path)) {}
    /// At the place above, or nowhere if neither XDG_STATE_HOME nor HOME is an absolute path.
    static ProgressStore of_user(const Environment& environment = environment_variable);

    /// Empty if there is none. What is wrong with the file is added to `notes`; the file stays as it is.
    Progress load(std::vector<Words>& notes) const;

    /// Adds the attempts to what the file says by then. Returns notes: what went wrong.
    std::vector<Words> record(const std::vector<Attempt>& attempts) const;
    /// Forgets a lesson, or all.
    std::vector<Words> forget(std::optional<int> lesson) const;

    const std::optional<std::filesystem::path>& path() const { return path_; }

  private:
    std::vector<Words> update(const std::function<void(Progress&)>& change) const;

    std::optional<std::filesystem::path> path_;
};

}  // namespace minimind
