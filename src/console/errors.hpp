// How an error looks to the user, and which exit code it gives. Everything goes to stderr.
//
//   error: 8 query heads cannot share 3 key/value heads
//     --> --num_key_value_heads 3
//     note: each key/value head serves 8/3 query heads, which must be whole
//     help: use 1, 2, 4 or 8
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "console/terminal.hpp"
#include "core/error.hpp"

namespace minimind {

/// The lines above. Control characters are shown as \n or \x1b, and a very long line is cut.
std::string error_text(const Error& error, const Paint& paint);

/// The same for an exception that is none of ours. Where memory ran out that is said; all else is a bug.
std::string error_text(const std::exception& error, const Paint& paint);

/// "note: ..." to stderr: something the user should know that is no error.
void print_note(const std::string& text, ColorMode color = ColorMode::automatic);

/// Runs a command, then writes out what it printed. Returns the exit code: the command's own, or after printing what was
/// thrown, an Error's (2: bad usage or input, 1: a failed check, command or write) or 1.
int run_reporting(const std::function<int()>& command, ColorMode color = ColorMode::automatic);

/// The --color among the words, for errors that come before a command is known; automatic if it is missing or wrong.
ColorMode color_mode_of(const std::vector<std::string>& words);

}  // namespace minimind
