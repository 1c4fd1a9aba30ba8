#include "lessons/pager.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "console/terminal.hpp"

namespace minimind {

namespace {

constexpr int shell_found_no_command = 127;  // and 126: found it, but it cannot be run

long terminal_height() {
    winsize size = {};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

std::string pager_command() {
    if (const char* const term = environment_variable("TERM"); term == nullptr || std::string_view(term) == "dumb") {
        return "";
    }
    const char* const pager = environment_variable("PAGER");
    return pager != nullptr
               ? pager
               : "command -v less >/dev/null || exit 127; exec less -FRX -Ps'space next page, b back, q quit'";
}

/// While one lives, a signal is ignored: Ctrl-C is for the pager, and a pager that has ended makes a write fail.
class Ignored {
  public:
    explicit Ignored(int signal) : signal_(signal), old_(std::signal(signal, SIG_IGN)) {}
    ~Ignored() { std::signal(signal_, old_); }
    Ignored(const Ignored&) = delete;
    Ignored& operator=(const Ignored&) = delete;

  private:
    int signal_;
    void (*old_)(int);
};

/// In the child: becomes the pager, which reads from `input`.
[[noreturn]] void become_pager(const std::string& pager, int input) {
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
    dup2(input, STDIN_FILENO);
    close(input);
    setenv("LESS", "FRX", 0);           // a plain PAGER=less shows colours, too, and ends with a short text
    setenv("LESSCHARSET", "utf-8", 0);  // the text is UTF-8 in every locale
    execl("/bin/sh", "sh", "-c", pager.c_str(), static_cast<char*>(nullptr));
    _exit(shell_found_no_command);
}

void write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return;  // the pager has gone
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

bool page(const std::string& text, const std::string& pager) {
    std::fflush(stdout);
    int ends[2];
    if (pipe(ends) != 0) return false;
    const Ignored no_interrupt(SIGINT);
    const Ignored no_closed_pipe(SIGPIPE);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        become_pager(pager, ends[0]);
    }
    close(ends[0]);
    if (child > 0) write_all(ends[1], text);
    close(ends[1]);
    if (child < 0) return false;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const bool was_started = !WIFEXITED(status) || WEXITSTATUS(status) < shell_found_no_command - 1;
    return was_started;
}

void print_paged(const std::string& text) {
    const std::string pager = is_terminal(Stream::out) ? pager_command() : "";
    const bool is_long = std::count(text.begin(), text.end(), '\n') >= terminal_height();
    if (pager.empty() || !is_long || !page(text, pager)) fmt::print("{}", text);
}

}  // namespace minimind
