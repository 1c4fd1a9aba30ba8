// Ctrl-C while a text is generated: what is there stays, and the exit code says what happened.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace {

/// A program that generates for hours, its standard output in a pipe.
class EndlessProgram {
  public:
    EndlessProgram() {
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        child_ = fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            std::signal(SIGINT, SIG_DFL);  // a shell may have started the tests with it ignored
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            execl(MINIMIND_PROGRAM, "minimind", "generate", "--text", "hello", "--max_position_embeddings", "1000000",
                  "--max_new_tokens", "999999", "--eos", "none", nullptr);
            _exit(127);
        }
        close(ends[1]);
        output_ = ends[0];
    }
    ~EndlessProgram() {
        close(output_);
        if (child_ > 0) kill(child_, SIGKILL);
    }
    EndlessProgram(const EndlessProgram&) = delete;
    EndlessProgram& operator=(const EndlessProgram&) = delete;

    /// What comes next, at least one byte; "" at the end.
    std::string read_some() const {
        char piece[256];
        const ssize_t count = read(output_, piece, sizeof piece);
        return {piece, count > 0 ? static_cast<std::size_t>(count) : 0};
    }
    void interrupt() const { kill(child_, SIGINT); }
    int exit_code() {
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    pid_t child_ = -1;
    int output_ = -1;
};

}  // namespace

TEST_CASE("Ctrl-C ends a text with a newline and exit code 130") {
    EndlessProgram program;
    std::string text = program.read_some();
    REQUIRE_FALSE(text.empty());  // text comes while it is generated, not at the end
    program.interrupt();
    for (std::string more = program.read_some(); !more.empty(); more = program.read_some()) text = more;
    CHECK(text.back() == '\n');
    CHECK(program.exit_code() == 130);
}
