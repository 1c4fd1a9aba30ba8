// Shapes as PyTorch prints them, and the batch that is carried beside every matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace minimind {

using Shape = std::vector<std::int64_t>;

/// B rows of S tokens. Hidden states [B, S, H] are an fmat(H, B*S): token (b, s) is column b*S + s.
struct Batch {
    std::int64_t batch = 0;
    std::int64_t seq = 0;

    std::int64_t tokens() const { return batch * seq; }
};

/// "(2, 6, 64)", "(64,)", "()": as Python prints a tuple.
std::string shape_text(const Shape& shape);

/// "[2, 6, 64]": as a Python list.
std::string list_text(const Shape& shape);

/// The number of elements, 1 for a scalar.
std::int64_t element_count(const Shape& shape);

}  // namespace minimind
