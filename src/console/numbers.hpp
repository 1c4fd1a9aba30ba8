// Numbers as a user may write them: plain decimal and nothing else, so that a slip is an error and never another number.
//
//   whole numbers   0  42  -100             not 012, +5, 1_000, 0x10, 1e3, " 5"
//   real numbers    1  .5  -2.5  1e6  1e-6  not nan, inf, 1e400, 0x1p3, 1,5
//
// Each function throws Error, whose place (`at`) the caller adds.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace minimind {

/// Both ends belong to the range.
struct IntegerRange {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
IntegerRange at_least(std::int64_t least);

struct RealRange {
    double least = -std::numeric_limits<double>::max();
    double most = std::numeric_limits<double>::max();
};

/// "1 to 128", "at least 1", "at most 128" or "any".
std::string range_text(const IntegerRange& range);
std::string range_text(const RealRange& range);

std::int64_t read_integer(std::string_view text, const IntegerRange& range = {});
double read_real(std::string_view text, const RealRange& range = {});

/// A seed as torch.manual_seed takes it: 0 to 2^64 - 1, and -2^63 to -1, which stand for seed + 2^64.
std::uint64_t read_seed(std::string_view text);

/// 0 or 1.
bool read_zero_one(std::string_view text);

}  // namespace minimind
