// What the program is talking to: a terminal or a pipe, how wide, in colour or not; and how it ends when the reader of
// a pipe has gone or the user presses Ctrl-C.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace minimind {

enum class Stream { out, err };
enum class ColorMode { automatic, always, never };

bool is_terminal(Stream stream);

/// Columns of the terminal on stdout; else COLUMNS, else 80.
std::size_t terminal_width();

/// How the environment is asked, so that a test can answer in its place: std::getenv.
using Environment = std::function<const char*(const char*)>;
/// The real one.
const char* environment_variable(const char* name);

/// "auto", "always" or "never". Throws Error for another word.
ColorMode color_mode(std::string_view name);

/// Colour or not: as asked for; in automatic mode on a terminal, unless NO_COLOR is set and not empty
/// (https://no-color.org) or TERM is "dumb".
bool use_color(ColorMode mode, bool on_terminal, const Environment& environment = environment_variable);
bool use_color(ColorMode mode, Stream stream);

/// Puts text in colour, or leaves it alone where there is none.
class Paint {
  public:
    explicit Paint(bool is_on) : is_on_(is_on) {}

    bool is_on() const { return is_on_; }
    std::string bold(std::string_view text) const { return in("1", text); }
    std::string dim(std::string_view text) const { return in("2", text); }
    std::string red(std::string_view text) const { return in("1;31", text); }
    std::string green(std::string_view text) const { return in("32", text); }
    std::string yellow(std::string_view text) const { return in("33", text); }
    std::string blue(std::string_view text) const { return in("34", text); }
    std::string cyan(std::string_view text) const { return in("36", text); }

  private:
    std::string in(const char* code, std::string_view text) const;

    bool is_on_;
};

/// For the start of main. A closed pipe (| head) ends the program without a word, Ctrl-C ends it with 130.
void install_signal_handlers();

/// While one of these lives, Ctrl-C does not end the program but is remembered. The second Ctrl-C ends it.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    bool was_interrupted() const;
    /// Forgets it: a prompt that only drops its line.
    void clear();
};

/// For the end of main: writes what is buffered. Throws Error (exit code 1) if anything printed was lost, as on a full
/// disk; where the reader of the pipe has gone that is no error.
void finish_stdout();

}  // namespace minimind
