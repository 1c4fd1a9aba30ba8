// Why one number of a recorded pass is what it is: what it was computed from, step by step, in double, from stages and
// weights as they stand there in float32. The last step is the number itself. It differs from what the pass stored by
// float32 rounding only, and `rounding` says how much that may be: with u = 2^-24, half a unit in the last place of 1,
// a sum of n terms loses at most about
//
//   (6 + sqrt(n)) * u * (sum of the terms' magnitudes)
//
// since each of its n roundings is as often up as down. (In the worst case it would be n instead of the root.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console/language.hpp"
#include "stepper/recording.hpp"

namespace minimind {

/// One term of a sum: a * b, or a alone (b is 1).
struct WhyTerm {
    std::int64_t index = 0;
    double a = 0.0;
    double b = 1.0;

    double value() const { return a * b; }
};

/// A sum along one axis: "sum over d of q_rope[0, 3, 1, d] * k_repeat[0, 2, 1, d]".
struct WhySum {
    std::string axis;            // "d": t is a position, v a token id, e an expert; other letters count numbers
    std::string a;               // "q_rope[0, 3, 1, d]"
    std::string b;               // "k_repeat[0, 2, 1, d]"; "" where the terms have one factor
    std::vector<WhyTerm> terms;  // all of them, in order

    double total() const;
    double magnitude() const;  // of the terms, added up
};

/// A value on the way.
struct WhyStep {
    std::string name;  // "mean(x^2)"
    double value = 0.0;
    Words note = {};                 // where it comes from
    std::optional<WhySum> sum = {};  // the terms, where it is a sum
};

struct Why {
    std::string equation;  // "q_proj[0, 3, 5] = sum over i of input_layernorm[0, 3, i] * q_proj.weight[5, i]"
    std::vector<WhyStep> steps;
    double stored = 0.0;
    double rounding = 0.0;  // 0: nothing is computed, the number is the same bit for bit

    double result() const { return steps.back().value; }
    /// |result - stored|; 0 where both are the same infinity or NaN.
    double difference() const;
    bool adds_up() const { return difference() <= rounding; }
    /// Is a value on the way too large for float32, so that the pass has an infinity or a 0 where a double does not?
    bool overflows() const;
};

/// Preconditions: the pass has the stage, its layer's values are kept, the index has one place an axis and is in range.
/// An edit of this stage is a step of its own at the end.
Why why(const Recording& recording, Site site, const std::vector<std::int64_t>& index);

}  // namespace minimind
