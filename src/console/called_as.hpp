// How the user starts the program: `minimind` once it is installed, `labs/run` in a checkout, which says so in
// MINIMIND_CALLED_AS. What the program tells a user to type must be what works where they are.
#pragma once

#include <string>

#include "console/terminal.hpp"

namespace minimind {

/// The text with every `minimind` that begins a command replaced by the name that the user started: at the start of the
/// text or of a line, after spaces there, and after a backquote ("`minimind lessons 9`").
std::string as_called(const std::string& text, const Environment& environment = environment_variable);

}  // namespace minimind
