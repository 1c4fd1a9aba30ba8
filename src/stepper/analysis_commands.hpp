// The commands that ask questions of a recording, one file each; analysis_commands() puts them together.
#pragma once

#include <vector>

#include "stepper/command.hpp"

namespace minimind {

StepCommand why_command();
StepCommand where_command();
StepCommand touch_command();
StepCommand ledger_command();
StepCommand lens_command();
StepCommand predict_command();
StepCommand diff_command();
/// ablate, scale, set, undo, edits
std::vector<StepCommand> edit_commands();

}  // namespace minimind
