// Lines that differ in rounding only.
#pragma once

#include <string>

namespace minimind {

/// Equal, but for floats in them that differ by at most 1 in the last digit printed or by 4 float32 units in the last
/// place (4.8e-7 of the value), whichever is more: sums differ by that much between processors, since BLAS adds in another
/// order. Spaces next to a float do not count: a value with a digit less is printed with a space more.
bool equal_but_for_rounding(const std::string& ours, const std::string& reference);

}  // namespace minimind
