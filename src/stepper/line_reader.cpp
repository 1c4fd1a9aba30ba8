#include "stepper/line_reader.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <istream>
#include <ostream>

namespace minimind {

namespace {

/// A line may be long, but not without end.
constexpr std::size_t longest_line = 65536;

void drop_carriage_return(std::string& line) {
    if (line.ends_with('\r')) line.pop_back();
}

}  // namespace

std::optional<std::string> StreamReader::read(const std::string& prompt) {
    std::string line;
    if (!std::getline(in_, line)) return std::nullopt;
    drop_carriage_return(line);
    out_ << prompt << line << "\n" << std::flush;
    return line;
}

std::optional<std::string> StreamReader::read_answer(const std::string& prompt) {
    if (is_script_) return std::nullopt;
    return read(prompt);
}

std::optional<std::string> PlainTerminalReader::read(const std::string& prompt) {
    const InterruptGuard guard;  // from before the prompt on: whoever sees it may press Ctrl-C
    out_ << prompt << std::flush;
    std::string line;
    for (char c = 0; line.size() < longest_line;) {
        if (!wait_for_input(guard)) {
            out_ << "\n" << std::flush;
            return "#";
        }
        const ssize_t count = ::read(STDIN_FILENO, &c, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            if (!line.empty()) break;
            out_ << "\n" << std::flush;
            return std::nullopt;
        }
        if (c == '\n') break;
        line.push_back(c);
    }
    drop_carriage_return(line);
    return line;
}

bool wait_for_input(const InterruptGuard& guard, const std::function<void()>& on_tick) {
    constexpr int tick_ms = 200;
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    while (!guard.was_interrupted()) {
        if (poll(&input, 1, tick_ms) > 0) return !guard.was_interrupted();
        on_tick();
    }
    return false;
}

}  // namespace minimind
