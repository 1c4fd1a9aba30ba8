// What rope_yarn says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

Explanations explain_rope_yarn(const ModelConfig& config);

}  // namespace minimind
