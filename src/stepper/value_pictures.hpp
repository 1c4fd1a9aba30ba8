// The commands that draw values: heat and curve.
#pragma once

#include <iosfwd>
#include <string>

#include "stepper/command.hpp"

namespace minimind {

void heat_command(SessionState& session, const std::string& argument, std::ostream& out);
void curve_command(SessionState& session, const std::string& argument, std::ostream& out);

}  // namespace minimind
