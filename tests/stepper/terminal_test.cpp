// The stepper at a real terminal: a pseudo-terminal of 80 columns, and somebody who types.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "support/temporary_directory.hpp"
#include "support/text.hpp"

namespace {

using minimind::TemporaryDirectory;
using Clock = std::chrono::steady_clock;

constexpr int patience_ms = 20'000;  // a busy machine; what works is done in milliseconds

/// `minimind step` on a pseudo-terminal.
class Terminal {
  public:
    explicit Terminal(const TemporaryDirectory& home, const char* term = "xterm", unsigned short columns = 80) {
        master_ = posix_openpt(O_RDWR | O_NOCTTY);
        if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0)
            throw std::runtime_error("no pseudo-terminal");
        resize(columns, false);
        const std::string slave = ptsname(master_);
        child_ = fork();
        if (child_ == 0) run_child(slave, home.path().string(), term);
    }
    ~Terminal() {
        if (child_ > 0) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        close(master_);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    void type(const std::string& keys) {
        if (write(master_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
            throw std::runtime_error("write");
    }

    /// Reads until the text stands in what came since the last call that found something. False: it did not come.
    bool shows(const std::string& text) {
        const auto deadline = Clock::now() + std::chrono::milliseconds(patience_ms);
        while (true) {
            const std::size_t found = seen_.find(text);
            if (found != std::string::npos) {
                seen_.erase(0, found + text.size());
                return true;
            }
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
            pollfd waiting = {master_, POLLIN, 0};
            if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) <= 0) return false;
            char piece[4096];
            const ssize_t count = read(master_, piece, sizeof piece);
            if (count <= 0) return seen_.find(text) != std::string::npos;  // the child has ended
            seen_.append(piece, static_cast<std::size_t>(count));
        }
    }

    /// A command and its answer, up to the next prompt.
    bool answers(const std::string& keys, const std::string& text) {
        type(keys);
        return shows(text) && shows("(step) ");
    }

    void resize(unsigned short columns, bool tells = true) {
        winsize size = {};
        size.ws_row = 24;
        size.ws_col = columns;
        ioctl(master_, TIOCSWINSZ, &size);  // the kernel sends SIGWINCH to who is on the terminal
        if (tells) kill(child_, SIGWINCH);
    }

    void send(int signal) const { kill(child_, signal); }

    int exit_code() {
        shows("nothing that the program prints");  // to its end
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    const std::string& seen() const { return seen_; }

  private:
    [[noreturn]] static void run_child(const std::string& slave, const std::string& home, const char* term) {
        setsid();
        const int terminal = open(slave.c_str(), O_RDWR);
        ioctl(terminal, TIOCSCTTY, 0);
        for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(terminal, descriptor);
        setenv("TERM", term, 1);
        setenv("HOME", home.c_str(), 1);
        setenv("XDG_STATE_HOME", (home + "/state").c_str(), 1);
        setenv("MINIMIND_LANG", "en", 1);
        setenv("NO_COLOR", "1", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        // libedit does not free the names of the functions that it was given; every other leak is still found.
        const std::string suppressions = home + "/lsan.supp";
        std::ofstream(suppressions) << "leak:wcsdup\n";
        setenv("LSAN_OPTIONS", ("print_suppressions=0:suppressions=" + suppressions).c_str(), 1);
        std::signal(SIGINT, SIG_DFL);
        execl(MINIMIND_PROGRAM, "minimind", "step", nullptr);
        _exit(127);
    }

    int master_ = -1;
    pid_t child_ = -1;
    std::string seen_;
};

const char* const up = "\x1b[A";
const char* const left = "\x1b[D";

}  // namespace

TEST_CASE("typing, editing, the empty Enter, wrong input, and Ctrl-D") {
    const TemporaryDirectory home;
    Terminal terminal(home);
    REQUIRE(terminal.shows("help lists all"));
    CHECK(terminal.shows("-->   1/3 model.embed_tokens"));
    CHECK(terminal.shows("(step) "));
    CHECK(terminal.answers("step\n", "-->   2/3 model.rope.cos"));
    CHECK(terminal.answers("\n", "-->   3/3 model.rope.sin"));  // Enter repeats
    CHECK(terminal.answers("\n", "-->  1/30 resid_pre"));
    CHECK(terminal.answers("b\n", "-->   3/3 model.rope.sin"));
    CHECK(
        terminal.answers("goto score\x7f"
                         "es\n",
                         "-->"));  // backspace
    CHECK(terminal.answers("gooto z\n", "did you mean goto?"));
    CHECK(terminal.answers(std::string("gto z") + left + left + left + left + "o\n",
                           "18/30 self_attn.z"));  // an o put in
    CHECK(terminal.answers("print [9]\n", "use 0 to 1"));
    CHECK(terminal.answers("打印\n", "there is no command '打印'"));
    CHECK(terminal.answers("help\n", "An empty line repeats the last move"));
    terminal.type("\x04");
    CHECK(terminal.exit_code() == 0);
}

TEST_CASE("Tab completes commands and stages, and lists what it could be") {
    const TemporaryDirectory home;
    Terminal terminal(home);
    REQUIRE(terminal.shows("(step) "));
    CHECK(terminal.answers("unt\tattn_w\t\n", "-->"));
    CHECK(terminal.seen().find("error") == std::string::npos);
    CHECK(terminal.answers("info\n", "self_attn.attn_weights"));
    terminal.type("goto self_attn.q_\t");
    CHECK(terminal.shows("self_attn.q_norm"));
    CHECK(terminal.shows("self_attn.q_rope"));
    CHECK(terminal.answers("r\t\n", "--> 11/30 self_attn.q_rope"));
    CHECK(terminal.answers("goto nothing\t\x15list\n", "after the blocks"));  // no completion; Ctrl-U empties the line
    terminal.type("quit\n");
    CHECK(terminal.exit_code() == 0);
}

TEST_CASE("the history is kept between runs") {
    const TemporaryDirectory home;
    {
        Terminal terminal(home);
        REQUIRE(terminal.shows("(step) "));
        CHECK(terminal.answers("goto v_proj\n", "-->  5/30 self_attn.v_proj"));
        CHECK(terminal.answers("print [0,0,:2]\n", "[0, 0, :2]"));
        CHECK(terminal.answers(std::string(up) + up + "\n", "-->  5/30 self_attn.v_proj"));
        terminal.type("quit\n");
        CHECK(terminal.exit_code() == 0);
    }
    CHECK(minimind::file_text(home.path() / "state" / "minimind" / "step_history") ==
          "goto v_proj\nprint [0,0,:2]\ngoto v_proj\nquit\n");
    Terminal terminal(home);
    REQUIRE(terminal.shows("(step) "));
    CHECK(terminal.answers(std::string(up) + up + "\n", "-->  5/30 self_attn.v_proj"));
    CHECK(terminal.answers("\x12print\n", "[0, 0, :2]"));  // Ctrl-R searches
}

TEST_CASE("Ctrl-C drops the line and nothing else, key or signal") {
    const TemporaryDirectory home;
    Terminal terminal(home);
    REQUIRE(terminal.shows("(step) "));
    terminal.type("goto nonsense");
    CHECK(terminal.shows("goto nonsense"));
    terminal.type("\x03");
    CHECK(terminal.shows("(step) "));
    CHECK(terminal.answers("step\n", "-->   2/3 model.rope.cos"));
    for (int i = 0; i < 3; ++i) {
        terminal.send(SIGINT);
        CHECK(terminal.shows("(step) "));
    }
    CHECK(terminal.answers("step\n", "-->   3/3 model.rope.sin"));
    CHECK(minimind::file_text(home.path() / "state" / "minimind" / "step_history") == "step\nstep\n");
    terminal.type("quit\n");
    CHECK(terminal.exit_code() == 0);
}

TEST_CASE("resizing does no harm, at the prompt and within a line") {
    const TemporaryDirectory home;
    Terminal terminal(home);
    REQUIRE(terminal.shows("(step) "));
    CHECK(terminal.answers("curve lm_head[0,0]\n", "a column is 96 values"));  // 80 columns
    terminal.resize(120);
    CHECK(terminal.answers("curve lm_head[0,0]\n", "a column is 60 values"));
    terminal.type("curve lm_h");
    CHECK(terminal.shows("curve lm_h"));
    terminal.resize(60);
    CHECK(terminal.answers("ead[0,0]\n", "a column is 137 values"));
    for (const int columns : {5, 3, 100, 1, 80}) {  // narrower than the prompt: libedit must not see it
        terminal.resize(static_cast<unsigned short>(columns));
        CHECK(terminal.answers("list\n", "embed_tokens"));
    }
    terminal.type("quit\n");
    CHECK(terminal.exit_code() == 0);
}

TEST_CASE("after Ctrl-Z the line is there again") {
    // There is no shell here that could wake us, so that the system does not stop us.
    const TemporaryDirectory home;
    Terminal terminal(home);
    REQUIRE(terminal.shows("(step) "));
    terminal.type("goto z");
    CHECK(terminal.shows("goto z"));
    terminal.type("\x1a");
    CHECK(terminal.answers("\n", "18/30 self_attn.z"));
    terminal.type("quit\n");
    CHECK(terminal.exit_code() == 0);
}

TEST_CASE("a window narrower than a prompt gets plain lines") {
    const TemporaryDirectory home;
    Terminal terminal(home, "xterm", 5);
    REQUIRE(terminal.shows("(step) "));
    CHECK(terminal.answers("step\n", "rope.cos"));
    terminal.type("\x04");
    CHECK(terminal.exit_code() == 0);
}

TEST_CASE("a terminal that can do nothing gets plain lines") {
    const TemporaryDirectory home;
    Terminal terminal(home, "dumb");
    REQUIRE(terminal.shows("(step) "));
    CHECK(terminal.answers("step\n", "-->   2/3 model.rope.cos"));
    terminal.type("goto nons");
    CHECK(terminal.shows("goto nons"));
    terminal.type("\x03");
    CHECK(terminal.shows("(step) "));
    CHECK(terminal.answers("\n", "-->   3/3 model.rope.sin"));
    CHECK(terminal.seen().find("\x1b[") == std::string::npos);
    terminal.type("\x04");
    CHECK(terminal.exit_code() == 0);
}
