// The MLP of one layer, recorded during a forward pass of the whole model.
#pragma once

#include <vector>

#include "console/input_flags.hpp"
#include "model/causal_lm.hpp"
#include "trace/recorder.hpp"

namespace minimind {

struct MlpTrace {
    std::vector<Record> records;  // in the order in which the model computes them
    double aux_loss = 0.0;        // of all layers
};

/// Records these points of `layer`, with their values, in training mode: it adds the router's loss and changes nothing
/// else. Precondition: `layer` is one of the model's.
MlpTrace trace_mlp(const CausalLm& model, const TokenInput& input, int layer, const std::vector<Point>& points);

/// A recorded stage [..., n] as the engine has it: fmat(n, ...).
arma::fmat values_of(const Record& record);

}  // namespace minimind
