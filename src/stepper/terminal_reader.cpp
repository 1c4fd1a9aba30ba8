#include "stepper/terminal_reader.hpp"

#include <unistd.h>

#include <cstring>
#include <iostream>

#include "console/terminal.hpp"
#include "stepper/editing_reader.hpp"

namespace minimind {

std::unique_ptr<LineReader> standard_input_reader(const Session& session, std::ostream& out) {
    if (isatty(STDIN_FILENO) != 1) return std::make_unique<StreamReader>(std::cin, out, false);
    const char* const term = environment_variable("TERM");
    const bool is_dumb = term == nullptr || std::strcmp(term, "dumb") == 0;
    const bool can_edit = !is_dumb && is_terminal(Stream::out) && terminal_width() >= least_width;
    const EditLibrary* const edit = can_edit ? edit_library() : nullptr;
    if (edit != nullptr) {
        std::unique_ptr<LineReader> reader = editing_reader(*edit, session);
        if (reader) return reader;
    }
    return std::make_unique<PlainTerminalReader>(out);
}

}  // namespace minimind
