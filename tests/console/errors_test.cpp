#include "console/errors.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "thrown.hpp"

using namespace minimind;

namespace {

/// The exit code of `program` in a process of its own, whose stdout goes to the file descriptor; 128 + the signal that
/// ended it. stderr is dropped.
int exit_code_of(const std::function<int()>& program, int stdout_descriptor = -1) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (stdout_descriptor >= 0) dup2(stdout_descriptor, STDOUT_FILENO);
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(99);
        _exit(program());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int print_a_line() {
    return run_reporting([] {
        std::printf("a line\n");
        return 0;
    });
}

}  // namespace

TEST_CASE("an error reads as in the design") {
    const Error error = Error("8 query heads cannot share 3 key/value heads")
                            .at("--num_key_value_heads 3")
                            .note("each serves 8/3 query heads, which must be whole")
                            .help("use 1, 2, 4 or 8");
    CHECK(error_text(error, Paint(false)) ==
          "error: 8 query heads cannot share 3 key/value heads\n"
          "  --> --num_key_value_heads 3\n"
          "  note: each serves 8/3 query heads, which must be whole\n"
          "  help: use 1, 2, 4 or 8\n");
    const std::string colored = error_text(error, Paint(true));
    CHECK(contains(colored, "\x1b[1;31merror:\x1b[0m \x1b[1m8 query heads"));
    CHECK(error_text(Error("short"), Paint(false)) == "error: short\n");
}

TEST_CASE("what a user fed cannot steer the terminal, nor flood it") {
    CHECK(error_text(Error("a\x1b[2Jb\nc").at("x\ny"), Paint(false)) == "error: a\\x1b[2Jb\\nc\n  --> x\\ny\n");
    CHECK(error_text(Error(std::string(100'000, 'x')), Paint(false)).size() < 1000);
}

TEST_CASE("errors that are none of ours") {
    const std::string bug = error_text(std::runtime_error("oh"), Paint(false));
    CHECK(contains(bug, "error: oh\n  note: this is a bug, please report it"));
    CHECK(contains(error_text(std::bad_alloc(), Paint(false)), "error: there is not enough memory\n"));
    const Error ours("ours");
    CHECK(error_text(static_cast<const std::exception&>(ours), Paint(false)) == "error: ours\n");
}

TEST_CASE("exit codes") {
    CHECK(exit_code_of([] { return run_reporting([] { return 0; }); }) == 0);
    CHECK(exit_code_of([] { return run_reporting([]() -> int { throw Error("bad usage"); }); }) == 2);
    CHECK(exit_code_of([] { return run_reporting([]() -> int { throw Error("failed").exit_code(1); }); }) == 1);
    CHECK(exit_code_of([] { return run_reporting([]() -> int { throw std::runtime_error("bug"); }); }) == 1);
    CHECK(exit_code_of([] { return run_reporting([]() -> int { throw std::bad_alloc(); }); }) == 1);
    CHECK(exit_code_of([] { return run_reporting([]() -> int { throw 5; }); }) == 1);
}

TEST_CASE("a failed write is exit 1") {
    std::FILE* full = std::fopen("/dev/full", "w");
    REQUIRE(full != nullptr);
    CHECK(exit_code_of(print_a_line, fileno(full)) == 1);
    std::fclose(full);
    CHECK(exit_code_of([] {
              close(STDOUT_FILENO);
              return print_a_line();
          }) == 1);
}

TEST_CASE("a closed pipe ends quietly") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    close(ends[0]);
    // With our handlers the signal ends the program, as it ends cat.
    CHECK(exit_code_of(
              [] {
                  install_signal_handlers();
                  return print_a_line();
              },
              ends[1]) == 128 + SIGPIPE);
    // Where the signal is ignored the failed write is no error.
    CHECK(exit_code_of(
              [] {
                  std::signal(SIGPIPE, SIG_IGN);
                  return print_a_line();
              },
              ends[1]) == 0);
    close(ends[1]);
}

TEST_CASE("Ctrl-C ends with 130, unless it is guarded") {
    CHECK(exit_code_of([] {
              install_signal_handlers();
              std::raise(SIGINT);
              return 0;
          }) == 130);
    CHECK(exit_code_of([] {
              install_signal_handlers();
              InterruptGuard guard;
              const bool before = guard.was_interrupted();
              std::raise(SIGINT);
              return !before && guard.was_interrupted() ? 7 : 8;
          }) == 7);
    CHECK(exit_code_of([] {
              install_signal_handlers();
              InterruptGuard guard;
              std::raise(SIGINT);
              std::raise(SIGINT);  // the second one is meant
              return 0;
          }) == 130);
    CHECK(exit_code_of([] {
              std::signal(SIGINT, SIG_IGN);  // a background job
              install_signal_handlers();
              std::raise(SIGINT);
              return 5;
          }) == 5);
}

TEST_CASE("colour or not") {
    std::string no_color;
    std::string term = "xterm";
    const Environment environment = [&](const char* name) -> const char* {
        return std::string(name) == "NO_COLOR" ? no_color.c_str()
               : std::string(name) == "TERM"   ? term.c_str()
                                               : nullptr;
    };
    CHECK(use_color(ColorMode::automatic, true, environment));
    CHECK_FALSE(use_color(ColorMode::automatic, false, environment));
    CHECK(use_color(ColorMode::always, false, environment));
    CHECK_FALSE(use_color(ColorMode::never, true, environment));
    no_color = "1";
    CHECK_FALSE(use_color(ColorMode::automatic, true, environment));
    CHECK(use_color(ColorMode::always, true, environment));
    no_color = "";
    term = "dumb";
    CHECK_FALSE(use_color(ColorMode::automatic, true, environment));
    CHECK(color_mode("auto") == ColorMode::automatic);
    CHECK(contains(thrown([] { color_mode("blue"); }), "known: auto, always, never"));
    CHECK(color_mode_of({"trace", "--color", "always"}) == ColorMode::always);
    CHECK(color_mode_of({"trace", "--color", "blue"}) == ColorMode::automatic);
    CHECK(terminal_width() > 0);
}
