// From the words of a command line to words that leave nothing open: every flag by its full name, followed by its
// value; then "--" and the positionals.
//
//   --hidden-size=96 TEXT --tie 0   ->   --hidden_size 96 --tie_word_embeddings 0 -- TEXT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "console/arguments.hpp"
#include "core/error.hpp"

namespace minimind {

/// Throws Error for an unknown or ambiguous flag, a missing value, and too many or too few positionals.
std::vector<std::string> spelled_out(const Arguments& arguments, const std::vector<std::string>& words);

/// Is --help or -h among the flags? It then wins over every mistake beside it.
bool asks_for_help(const std::vector<std::string>& words);

/// The value of a flag that matters before a command is known (--color, --lang): the last one, or "".
std::string early_value(const std::vector<std::string>& words, std::string_view flag);

/// The flags that other programs' name for something stands for here: "--d_model" gives {"--hidden_size"}.
std::vector<std::string> own_names(std::string_view flag);

/// The error for a flag that the command does not have, with the name that was probably meant.
Error unknown_flag(const Arguments& arguments, const std::string& flag, const std::string& where);

}  // namespace minimind
