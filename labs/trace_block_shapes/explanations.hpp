// What trace_block_shapes says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

Explanations explain_block_shapes(const ModelConfig& config, Batch batch);

}  // namespace minimind
