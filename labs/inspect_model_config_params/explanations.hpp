// What inspect_model_config_params says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

/// The config must be completed.
Explanations explain_config_params(const ModelConfig& config);

}  // namespace minimind
