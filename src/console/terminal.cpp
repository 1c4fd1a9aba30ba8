#include "console/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "console/numbers.hpp"
#include "core/error.hpp"

namespace minimind {

namespace {

/// COLUMNS, as a shell sets it; 0 if it is no sensible width.
std::size_t columns_variable() {
    const char* columns = environment_variable("COLUMNS");
    if (columns == nullptr) return 0;
    try {
        return static_cast<std::size_t>(read_integer(columns, {1, 10'000}));
    } catch (const Error&) {
        return 0;
    }
}

}  // namespace

bool is_terminal(Stream stream) {
    return isatty(stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO) == 1;
}

std::size_t terminal_width() {
    winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const std::size_t columns = columns_variable();
    return columns > 0 ? columns : 80;
}

const char* environment_variable(const char* name) {
    return std::getenv(name);
}

ColorMode color_mode(std::string_view name) {
    if (name == "auto") return ColorMode::automatic;
    if (name == "always") return ColorMode::always;
    if (name == "never") return ColorMode::never;
    throw Error(fmt::format("unknown colour mode '{}'", name))
        .at(fmt::format("--color {}", name))
        .note("known: auto, always, never");
}

bool use_color(ColorMode mode, bool on_terminal, const Environment& environment) {
    if (mode != ColorMode::automatic) return mode == ColorMode::always;
    const char* no_color = environment("NO_COLOR");
    const char* term = environment("TERM");
    const bool is_unwanted = no_color != nullptr && *no_color != '\0';
    const bool is_dumb = term != nullptr && std::strcmp(term, "dumb") == 0;
    return on_terminal && !is_unwanted && !is_dumb;
}

bool use_color(ColorMode mode, Stream stream) {
    return use_color(mode, is_terminal(stream));
}

std::string Paint::in(const char* code, std::string_view text) const {
    return is_on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

void finish_stdout() {
    errno = 0;
    std::cout.flush();
    const bool is_lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || std::cout.bad();
    if (!is_lost || errno == EPIPE) return;
    Error error("the output could not be written");
    error.at("standard output").exit_code(1);
    if (errno != 0) error.note(std::strerror(errno));
    throw error;
}

}  // namespace minimind
