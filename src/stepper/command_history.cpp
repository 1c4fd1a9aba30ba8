#include "stepper/command_history.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

namespace minimind {

namespace fs = std::filesystem;

CommandHistory CommandHistory::of_user(const Environment& environment) {
    const char* state = environment("XDG_STATE_HOME");
    const char* home = environment("HOME");
    fs::path folder;
    if (state != nullptr && fs::path(state).is_absolute()) {
        folder = state;
    } else if (home != nullptr && fs::path(home).is_absolute()) {
        folder = fs::path(home) / ".local" / "state";
    }
    if (folder.empty()) return CommandHistory(std::nullopt);
    return CommandHistory(folder / "minimind" / "step_history");
}

std::vector<std::string> CommandHistory::lines() const {
    std::vector<std::string> lines;
    if (!path_) return lines;
    std::ifstream file(*path_);
    for (std::string line; std::getline(file, line);) {
        if (!line.empty()) lines.push_back(line);
    }
    if (lines.size() <= most_lines) return lines;
    const bool is_long = lines.size() > 2 * most_lines;
    lines.erase(lines.begin(), lines.end() - most_lines);
    if (is_long) {
        std::ofstream shortened(*path_, std::ios::trunc);
        for (const std::string& line : lines) shortened << line << "\n";
    }
    return lines;
}

void CommandHistory::add(const std::string& line) const {
    if (!path_) return;
    std::error_code ignored;
    fs::create_directories(path_->parent_path(), ignored);
    const int file = open(path_->c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    const std::string written = line + "\n";
    [[maybe_unused]] const ssize_t count = write(file, written.data(), written.size());  // in one piece
    close(file);
}

}  // namespace minimind
