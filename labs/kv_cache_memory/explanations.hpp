// What kv_cache_memory says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

Explanations explain_kv_cache_memory(const ModelConfig& config, std::int64_t batch_size, const std::string& dtype);

}  // namespace minimind
