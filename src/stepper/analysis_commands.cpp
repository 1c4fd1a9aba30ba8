#include "stepper/analysis_commands.hpp"

namespace minimind {

std::vector<StepCommand> analysis_commands() {
    std::vector<StepCommand> commands = {why_command(),    where_command(), predict_command(), touch_command(),
                                         ledger_command(), lens_command(),  diff_command()};
    for (StepCommand& command : edit_commands()) commands.push_back(std::move(command));
    return commands;
}

}  // namespace minimind
