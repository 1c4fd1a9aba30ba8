// The commands that are no lab.
#pragma once

#include <string>
#include <vector>

#include "console/command.hpp"

namespace minimind {

const std::vector<Command>& commands();

int trace_command(const std::vector<std::string>& words);
int step_command(const std::vector<std::string>& words);
int hooks_command(const std::vector<std::string>& words);
int generate_command(const std::vector<std::string>& words);
int tokenize_command(const std::vector<std::string>& words);
int inspect_command(const std::vector<std::string>& words);
int save_command(const std::vector<std::string>& words);
int bench_command(const std::vector<std::string>& words);
int lessons_command(const std::vector<std::string>& words);
int labs_command(const std::vector<std::string>& words);

}  // namespace minimind
