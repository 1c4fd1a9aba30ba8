// What gemm_shapes says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

Explanations explain_gemm_shapes(double weight_bytes);

}  // namespace minimind
