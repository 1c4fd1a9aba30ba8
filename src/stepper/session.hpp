// A session of the stepper: reads lines, runs commands, and never ends by a mistake.
//
//   Session session(state, std::cout);
//   session.start();                     // where we are, and the first picture
//   session.read_from(script);           // -x FILE
//   session.read_from(terminal);
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "stepper/command.hpp"
#include "stepper/line_reader.hpp"

namespace minimind {

/// What Tab offers: the words that may stand from `begin` on.
struct Completion {
    std::size_t begin = 0;
    std::vector<std::string> words;
};

class Session {
  public:
    /// `command_line`: how the program was called, for the first line of a saved session.
    Session(SessionState state, std::ostream& out, std::string command_line = "minimind step");
    Session(const Session&) = delete;  // commands refer to it
    Session& operator=(const Session&) = delete;

    void start();

    /// Runs what the reader gives until its end or `quit`. False: a command failed in batch mode; the session is over.
    bool read_from(LineReader& reader);

    /// One line, with `;;` between commands. False if a command failed (what follows it in the line is then left out).
    bool run_line(const std::string& line);

    Completion complete(const std::string& line_before_cursor) const;

    const SessionState& state() const { return state_; }
    bool is_over() const { return state_.is_over; }

  private:
    bool run_command(const std::string& line);
    const StepCommand& command_named(const std::string& name) const;
    std::vector<StepCommand> own_commands();
    void report(const std::exception& error);
    void help(const std::string& name);
    void list_commands();
    void save(const std::string& arguments);

    SessionState state_;
    std::ostream& out_;
    std::string command_line_;
    std::vector<StepCommand> commands_;
    std::string last_navigation_;
    std::vector<std::string> history_;  // the commands that worked
    std::string saved_;                 // the file that this session wrote
    LineReader* reader_ = nullptr;      // that lines come from just now
};

}  // namespace minimind
