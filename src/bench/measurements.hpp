// Measurements beside their floors: what `minimind bench` prints and tests/bench watches.
//
// A machine drifts by 30 % within minutes, so the work and its floor take turns in one run, and what counts is the ratio
// of their medians.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "console/language.hpp"

namespace minimind {

struct Measurement {
    std::string name;               // "forward_4x340"
    double ms = 0.0;                // median
    double floor_ms = 0.0;          // median of the floor, measured in turns with it
    std::optional<double> read_ms;  // reading the same weights once; of a decode step only
    std::optional<double> gflop;    // of the floor, in units of 10^9 operations

    double ratio() const { return ms / floor_ms; }
};

/// One thing that can be measured.
struct Benchmark {
    std::string name;
    Words what;   // "prefill of 4 rows of 340 tokens, minimind3"
    Words floor;  // "its matrix products alone"
    std::function<Measurement(int repeats)> measure;
};

/// Models are built when the first measurement needs them, and kept for the next. `program` is the path of minimind and
/// `start_floor` that of the program that only starts, computes one small product and exits; "" if it is not there.
std::vector<Benchmark> benchmarks(const std::string& program, const std::string& start_floor);

/// What the machine can do, measured now: the fastest of several large products, and of several reads of 256 MB.
struct MachinePeak {
    int threads = 1;
    double gflops = 0.0;  // 10^9 operations a second
    double gigabytes_a_second = 0.0;
};
MachinePeak machine_peak();

/// {"name": ..., "ms": ..., "floor_ms": ..., "ratio": ...} and what else is known.
nlohmann::ordered_json measurement_json(const Measurement& measurement);

}  // namespace minimind
