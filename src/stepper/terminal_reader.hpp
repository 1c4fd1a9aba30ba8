// Lines that somebody types at a terminal: editing, history and completion by libedit. It is loaded when the first prompt
// is shown, so that no other command waits for it; where it is not installed, the terminal's own editing must do.
//
// The history is a text file, one line a command, kept between runs: $XDG_STATE_HOME/minimind/step_history (by default
// in ~/.local/state). Several sessions may add to it at once. Trouble with it is no error.
#pragma once

#include <iosfwd>
#include <memory>

#include "stepper/line_reader.hpp"

namespace minimind {

class Session;

/// The reader that suits standard input: an editor on a terminal, else its lines as they come. Both must outlive it.
std::unique_ptr<LineReader> standard_input_reader(const Session& session, std::ostream& out);

}  // namespace minimind
