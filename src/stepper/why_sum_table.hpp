// The terms of a sum: all of a few, the largest of many, and what the others come to.
//
//       d  q_rope[0, 3, 1, d]  k_repeat[0, 2, 1, d]         product
//       9            2.382544            -1.7952975      -4.2773754
//       6          0.83080441             1.6533909       1.3736444
//     ...
//   10 others                                            -1.6459436
#pragma once

#include <string>

#include "stepper/why_text.hpp"

namespace minimind {

std::string sum_table_text(const WhySum& sum, const WhyStyle& style);

/// Eight digits: as many as a float32 has, and one more in which a difference shows.
std::string digits_text(double value);

}  // namespace minimind
