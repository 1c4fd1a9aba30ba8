// Where the stepper's lines come from: a file of commands, a pipe, or somebody at a terminal.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "console/terminal.hpp"

namespace minimind {

class LineReader {
  public:
    virtual ~LineReader() = default;

    /// The next line without its newline; nothing at the end of the input. A line that was dropped (Ctrl-C) comes as a
    /// comment, "#", which does nothing.
    virtual std::optional<std::string> read(const std::string& prompt) = 0;
    /// The same for the answer to a question, which is no command: it is neither completed nor kept in the history.
    /// Nothing where there is nobody to answer, as in a file of commands.
    virtual std::optional<std::string> read_answer(const std::string& prompt) { return read(prompt); }

    /// Is an empty line an empty Enter, which repeats? In a file of commands it is only a gap.
    virtual bool repeats_on_empty() const { return true; }
};

/// Lines of a stream. Prompt and line are written to `out`, so that the output reads like a session.
class StreamReader : public LineReader {
  public:
    StreamReader(std::istream& in, std::ostream& out, bool is_script) : in_(in), out_(out), is_script_(is_script) {}

    std::optional<std::string> read(const std::string& prompt) override;
    std::optional<std::string> read_answer(const std::string& prompt) override;
    bool repeats_on_empty() const override { return !is_script_; }

  private:
    std::istream& in_;
    std::ostream& out_;
    bool is_script_;
};

/// Lines of a terminal without an editor (no libedit, or TERM=dumb): the terminal itself shows what is typed.
class PlainTerminalReader : public LineReader {
  public:
    explicit PlainTerminalReader(std::ostream& out) : out_(out) {}
    std::optional<std::string> read(const std::string& prompt) override;

  private:
    std::ostream& out_;
};

/// Waits until standard input has something to read, or its end. False: Ctrl-C was pressed. `on_tick` is called now and
/// then. (A blocking read would miss a signal that comes just before it.)
bool wait_for_input(
    const InterruptGuard& guard, const std::function<void()>& on_tick = [] {});

}  // namespace minimind
