// The sections of trace_ffn_moe that are about the mixture of experts.
#pragma once

#include "console/input_flags.hpp"
#include "model/causal_lm.hpp"
#include "report/lab_output.hpp"

namespace minimind {

/// Router, dispatch, auxiliary loss and equal experts of one layer; parameters of the whole model. `shown` is how many
/// tokens' routing is printed. Precondition: use_moe, and `layer` is one of the model's.
void show_moe(LabOutput& out, const CausalLm& model, const TokenInput& input, int layer, std::int64_t shown);

}  // namespace minimind
