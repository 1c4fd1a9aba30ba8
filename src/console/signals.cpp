// The part of terminal.hpp that deals with signals.
#include <unistd.h>

#include <csignal>

#include "console/terminal.hpp"

namespace minimind {

namespace {

// A signal handler can reach nothing but variables like these.
volatile std::sig_atomic_t is_guarded = 0;
volatile std::sig_atomic_t is_interrupted = 0;

constexpr int exit_interrupted = 130;  // 128 + SIGINT, as shells report it

extern "C" void handle_interrupt(int) {
    if (is_guarded != 0 && is_interrupted == 0) {
        is_interrupted = 1;
        return;
    }
    _exit(exit_interrupted);
}

}  // namespace

void install_signal_handlers() {
    // The parent may have told us to ignore SIGPIPE; then a program piped into `head` would go on writing for nothing.
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is a failed write, with a message

    struct sigaction old = {};
    sigaction(SIGINT, nullptr, &old);
    if (old.sa_handler == SIG_IGN) return;  // started in the background: Ctrl-C is meant for somebody else
    struct sigaction action = {};
    action.sa_handler = handle_interrupt;  // without SA_RESTART: a read at a prompt must return
    sigaction(SIGINT, &action, nullptr);
}

InterruptGuard::InterruptGuard() {
    is_interrupted = 0;
    is_guarded = 1;
}

InterruptGuard::~InterruptGuard() {
    is_guarded = 0;
    is_interrupted = 0;
}

bool InterruptGuard::was_interrupted() const {
    return is_interrupted != 0;
}

void InterruptGuard::clear() {
    is_interrupted = 0;
}

}  // namespace minimind
