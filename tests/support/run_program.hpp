// Runs the program as a user would, and gives what it printed.
#pragma once

#include <string>
#include <vector>

namespace minimind {

struct ProgramResult {
    int exit_code = 0;
    std::string out;
    std::string err;
};

/// Runs `minimind` with these words, its standard input empty or `input`, in English.
ProgramResult run_program(const std::vector<std::string>& words, const std::string& input = "");

/// Runs a line of shell in `directory`, where `labs/run` is the program. Its prose is in `language` ("en" or "zh"), its
/// standard input is empty, and what it keeps of a learner's progress is in `directory`.
ProgramResult run_shell(const std::string& line, const std::string& directory, const std::string& language);

}  // namespace minimind
