// What tied_embeddings says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

Explanations explain_tied_embeddings(const ModelConfig& config);

}  // namespace minimind
