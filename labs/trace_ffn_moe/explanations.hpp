// What trace_ffn_moe says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

Explanations explain_ffn_moe(const ModelConfig& config, Batch batch);

}  // namespace minimind
