// What a learner wrote, read as a shape, a number or a word. Full-width characters and Chinese punctuation are read as
// their ASCII forms:
//
//   shapes    [2,6,64]   (2, 6, 64)   2x6x64   2×6×64   2 6 64   （２，６，６４）   torch.Size([2, 6, 64])   (B, S, H)
//   numbers   63912192   63,912,192   63.9M   63.9 million   6391万   0.639亿   6.39e7   24 MiB   7.14%   -0.28
//   words     mlp   `self.mlp`   model.layers.0.mlp   MLP
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/shape.hpp"

namespace minimind {

/// The text with full-width characters, Chinese punctuation and unusual spaces, dots and crosses as ASCII, without spaces
/// around it. What is no UTF-8 becomes U+FFFD.
std::string half_width(std::string_view written);

/// Nothing was written: spaces, "?" or a line to write on, "____".
bool is_blank(std::string_view written);

/// What letters and names in a shape stand for: B, S, H, hidden_size.
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// An axis may be a product, sum or difference of numbers and symbols: h*D, hD, P+S, S-1. Nothing if it cannot be read, has more than 16
/// axes or an axis beyond 2^53.
std::optional<Shape> read_shape(std::string_view written, const Symbols& symbols);

struct WrittenNumber {
    enum class Unit { none, scaled, bytes, percent };  // nothing; M, 万, ...; MB, KiB, bytes, ...; %

    double digits_value = 0.0;  // of the digits alone: 63.9
    double step = 1.0;          // what 1 more in the last digit adds to that: 0.1
    int digits = 0;             // how many significant digits there are: 3
    double factor = 1.0;        // of the unit: 1e6
    Unit unit = Unit::none;

    double value() const { return digits_value * factor; }
};

/// Nothing if it is no number, or none that a double holds.
std::optional<WrittenNumber> read_number(std::string_view written);

/// Lower case, without spaces, quotes, _ and hyphens, and without what stands before a module's own name ("self.", "model.layers.0.").
/// Empty if there is no letter or digit in it.
std::string read_word(std::string_view written);

}  // namespace minimind
