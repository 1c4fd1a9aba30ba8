// Selected values as text, as NumPy shows them: matrices with the index of each row, what is too much left out in the
// middle.
#pragma once

#include <string>

#include "stepper/slice.hpp"

namespace minimind {

/// Lines of at most `width` cells. A single number is given in all its digits.
std::string value_table(const TensorView& tensor, const Selection& selection, std::size_t width);

}  // namespace minimind
