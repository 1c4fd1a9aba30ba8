#include "support/run_program.hpp"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/text.hpp"

namespace minimind {

namespace {

/// A temporary file that is gone when this is.
class TemporaryFile {
  public:
    TemporaryFile() {
        const int descriptor = mkstemp(path_.data());
        if (descriptor < 0) throw std::runtime_error("cannot make a temporary file");
        close(descriptor);
    }
    ~TemporaryFile() { unlink(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }
    std::string content() const { return file_text(path_); }

  private:
    std::string path_ = "/tmp/minimind_test_XXXXXX";
};

std::string quoted(const std::string& word) {
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

/// What a line of shell gives, with its standard input from a file.
ProgramResult result_of(const std::string& line, const std::string& input) {
    const TemporaryFile in;
    const TemporaryFile out;
    const TemporaryFile err;
    std::ofstream(in.path(), std::ios::binary) << input;
    const int status =
        std::system(("{ " + line + "\n} <" + in.path() + " >" + out.path() + " 2>" + err.path()).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.content(), err.content()};
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& words, const std::string& input) {
    std::string command = "MINIMIND_LANG=en MINIMIND_CALLED_AS= " + quoted(MINIMIND_PROGRAM);
    for (const std::string& word : words) command += " " + quoted(word);
    return result_of(command, input);
}

ProgramResult run_shell(const std::string& line, const std::string& directory, const std::string& language) {
    // Threads that wait do not spin: on a busy machine, as one that runs tests is, that makes short runs much shorter.
    const std::string environment =
        "export MINIMIND_LANG=" + language +
        " OMP_WAIT_POLICY=passive MINIMIND_CALLED_AS=labs/run XDG_STATE_HOME=" + quoted(directory + "/state") +
        "; unset COLUMNS";
    const std::string program = "mkdir -p labs && ln -sfn " + quoted(MINIMIND_PROGRAM) + " labs/run";
    return result_of("cd " + quoted(directory) + " && " + program + "; " + environment + "; " + line, "");
}

}  // namespace minimind
