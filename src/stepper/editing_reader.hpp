// Lines with an editor: keys as in Emacs, history, completion.
#pragma once

#include <cstddef>
#include <memory>

#include "stepper/edit_library.hpp"
#include "stepper/line_reader.hpp"

namespace minimind {

class Session;

/// In a window that is narrower a line is read without the editor.
inline constexpr std::size_t least_width = 24;

/// Null if the terminal cannot be used. The session must outlive it.
std::unique_ptr<LineReader> editing_reader(const EditLibrary& edit, const Session& session);

}  // namespace minimind
