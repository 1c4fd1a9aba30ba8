#include "stepper/line_reader.hpp"

#include <unistd.h>

#include <cerrno>
#include <istream>
#include <ostream>

#include "console/terminal.hpp"

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

std::optional<std::string> PlainTerminalReader::read(const std::string& prompt) {
    out_ << prompt << std::flush;
    const InterruptGuard guard;
    std::string line;
    for (char c = 0; line.size() < longest_line;) {
        const ssize_t count = ::read(STDIN_FILENO, &c, 1);
        if (guard.was_interrupted()) {
            out_ << "\n" << std::flush;
            return "#";
        }
        if (count < 0 && errno == EINTR) continue;  // the window was resized
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

}  // namespace minimind
