// What trace_loss_shift says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"

namespace minimind {

/// `batch` is the sample's [1, S]; `counted`: how many labels count.
Explanations explain_loss_shift(const ModelConfig& config, Batch batch, std::int64_t counted);

}  // namespace minimind
