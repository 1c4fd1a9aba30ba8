// What compare_activations says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

const Explanations& explain_activations();

}  // namespace minimind
