// What trace_rope_kv_cache says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

/// `batch` is the input's [1, S].
Explanations explain_rope_kv_cache(const ModelConfig& config, Batch batch);

}  // namespace minimind
