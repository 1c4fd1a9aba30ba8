// What a config must fulfil, with an error for each rule that names the field as the user wrote it.
#pragma once

#include <cstdint>
#include <limits>

#include "model/config.hpp"

namespace minimind {

/// BLAS counts rows and columns in 32 bits.
inline constexpr std::int64_t largest_size = std::numeric_limits<std::int32_t>::max();

/// Every field for itself, and how heads and experts fit together. Sizes that are to be derived are still 0.
void check_fields(const ModelConfig& config, const FieldName& field_name);

/// What the sizes give together: numbers of parameters and of rotary values. The config must be completed.
void check_totals(const ModelConfig& config, const FieldName& field_name);

}  // namespace minimind
