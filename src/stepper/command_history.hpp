// The commands of earlier sessions, oldest first: a text file, one line a command, at
// $XDG_STATE_HOME/minimind/step_history (by default in ~/.local/state).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "console/terminal.hpp"

namespace minimind {

class CommandHistory {
  public:
    static constexpr std::size_t most_lines = 1000;

    /// No path: nothing is kept.
    explicit CommandHistory(std::optional<std::filesystem::path> path) : path_(std::move(path)) {}
    /// At the place above, or nowhere if neither XDG_STATE_HOME nor HOME is an absolute path.
    static CommandHistory of_user(const Environment& environment = environment_variable);

    /// At most the last most_lines; a file with twice as many is shortened. Empty if there is none.
    std::vector<std::string> lines() const;
    /// Adds a line at the end of the file. What goes wrong is no error.
    void add(const std::string& line) const;

    const std::optional<std::filesystem::path>& path() const { return path_; }

  private:
    std::optional<std::filesystem::path> path_;
};

}  // namespace minimind
