// What logits_to_keep says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

Explanations explain_logits_to_keep(const ModelConfig& config, Batch batch);

}  // namespace minimind
