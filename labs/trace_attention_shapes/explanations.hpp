// What trace_attention_shapes says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

/// `is_random`: the input are random numbers, not what the model makes of ids.
Explanations explain_attention_shapes(const ModelConfig& config, Batch batch, bool is_random);

}  // namespace minimind
