// The sections of trace_ffn_moe that are about the dense network, SwiGLU, and the one of 2017 that it replaced:
//
//   SwiGLU  down(act(gate x) * up x)       three matrices of H x I
//   2017    W2 relu(W1 x)                  two of H x 4H
#pragma once

#include "console/input_flags.hpp"
#include "model/causal_lm.hpp"
#include "random/generator.hpp"
#include "report/lab_output.hpp"

namespace minimind {

/// The stages of one layer's MLP, what its gate does, the network of 2017 on the same input with weights from
/// `generator`, and the widths at which the two cost the same. Preconditions: the model is dense, `layer` is one of its.
void show_dense(LabOutput& out, const CausalLm& model, const TokenInput& input, int layer, Generator& generator);

}  // namespace minimind
