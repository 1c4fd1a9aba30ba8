// What trace_cli_inference says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

/// `batch` is the prompt's [1, S]; `is_fresh`: the model has learnt nothing.
Explanations explain_cli_inference(const ModelConfig& config, Batch batch, bool is_fresh);

}  // namespace minimind
