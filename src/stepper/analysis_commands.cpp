#include "stepper/command.hpp"

namespace minimind {

std::vector<StepCommand> analysis_commands() {
    return {};
}

void before_shown(SessionState&, Site, std::ostream&) {}

}  // namespace minimind
