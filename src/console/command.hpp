// A command of the program, or a lab: what `minimind NAME` runs.
#pragma once

#include <string>
#include <vector>

namespace minimind {

struct Command {
    std::string name;
    std::string summary;     // one line, English
    std::string summary_zh;  // the same in Chinese
    /// Takes the words after the name; returns the exit code. Throws Error.
    int (*run)(const std::vector<std::string>& words);
};

/// A lab belongs to a lesson of the course.
struct Lab {
    int lesson;
    Command command;
};

}  // namespace minimind
