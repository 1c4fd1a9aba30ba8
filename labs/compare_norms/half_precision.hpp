// RMSNorm in the arithmetic of fewer bits, and cast up to float32 as the reference does it.
#pragma once

#include "compare_norms/low_precision.hpp"
#include "random/generator.hpp"
#include "report/lab_output.hpp"

namespace minimind {

/// The section "Half Precision": rows of `width` normal numbers from `generator`, normalised in each arithmetic.
void show_half_precision(LabOutput& out, Generator generator, std::int64_t width, double eps);

}  // namespace minimind
