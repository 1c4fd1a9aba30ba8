// What compare_norms says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

Explanations explain_norms(const ModelConfig& config, Batch batch);

}  // namespace minimind
