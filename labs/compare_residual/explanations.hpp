// What compare_residual says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

/// `is_fresh`: the weights were drawn, not trained.
Explanations explain_residual(const ModelConfig& config, Batch batch, bool is_fresh);

}  // namespace minimind
