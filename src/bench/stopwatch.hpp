// Times, and what is made of several of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace minimind {

/// Milliseconds that one call takes, by the steady clock.
double milliseconds(const std::function<void()>& call);

/// The middle one; of an even number the mean of the two in the middle. Precondition: not empty.
double median(std::vector<double> values);

/// How a program ended, how long it took from start to exit, and the most memory that it held at once.
struct ProgramRun {
    int exit_code = -1;  // -1 if it could not be started or was killed
    double ms = 0.0;
    double peak_mb = 0.0;  // resident, in units of 10^6 bytes
};

/// Runs a program with its output thrown away. `command` is its path and its arguments.
ProgramRun run_silently(const std::vector<std::string>& command);

}  // namespace minimind
