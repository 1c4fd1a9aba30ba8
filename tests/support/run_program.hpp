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

}  // namespace minimind
