// The one error type of the project, and how it reads:
//
//   error: 8 query heads cannot share 3 key/value heads
//     --> --num_key_value_heads 3
//     note: each key/value head serves 8/3 query heads, which must be whole
//     help: use 1, 2, 4 or 8
//
// Say what is wrong, where, what was expected, and how to fix it:
//
//   throw Error("...").at("--num_key_value_heads 3").note("...").help("...");
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace minimind {

class Error : public std::runtime_error {
  public:
    /// What is wrong, in one line without a full stop.
    explicit Error(const std::string& message) : std::runtime_error(message) {}

    /// Where: a flag with its value, a file, a tensor in a file.
    Error& at(std::string where);
    /// What was expected and why. May be called several times, a line each.
    Error& note(std::string text);
    /// How to fix it. May be called several times, a line each.
    Error& help(std::string text);
    /// 2 (the default): bad usage or input. 1: a check, a command or a write failed.
    Error& exit_code(int code);

    const std::string& where() const { return where_; }
    const std::vector<std::string>& notes() const { return notes_; }
    const std::vector<std::string>& helps() const { return helps_; }
    int exit_code() const { return exit_code_; }

  private:
    std::string where_;
    std::vector<std::string> notes_;
    std::vector<std::string> helps_;
    int exit_code_ = 2;
};

/// The name in `known` that was most likely meant by `name`, or "" if none is near: at most a third of the letters
/// differ (Levenshtein distance). Spelling of - and _ and of upper and lower case does not count.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace minimind
