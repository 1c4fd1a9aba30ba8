#include "stepper/analysis_commands.hpp"

namespace minimind {

std::vector<StepCommand> analysis_commands() {
    std::vector<StepCommand> commands = {why_command()};
    return commands;
}

void before_shown(SessionState&, Site, std::ostream&) {}

}  // namespace minimind
