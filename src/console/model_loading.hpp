// From flags to a model that can run: fresh weights from a seed, or a checkpoint.
#pragma once

#include <string>

#include "console/arguments.hpp"
#include "console/console_flags.hpp"
#include "console/input_flags.hpp"
#include "console/model_flags.hpp"
#include "model/causal_lm.hpp"
#include "random/generator.hpp"

namespace minimind {

struct LoadedModel {
    CausalLm model;
    Generator generator;      // where PyTorch's stands after it built the model
    std::string description;  // "seed 42", or the checkpoint's path
};

/// What the command does with the model, for the memory estimate.
struct LoadOptions {
    bool keeps_stages = false;
    bool shows_scores = false;
};

/// The completed config that the flags describe, for what needs no weights: those of a checkpoint are not read. Throws
/// Error.
ModelConfig load_config(const ModelFlags& flags);

/// Adds the model's and the input's flags in the order in which the help shows them. `with_labels`: --labels and
/// --logits_to_keep, too.
void add_model_and_input(Arguments& args, ModelFlags& model, InputFlags& input, bool with_labels = false);

/// Reads the input's text, refuses what would not fit in memory, then builds or loads the model. Throws Error.
LoadedModel load_model(const ModelFlags& flags, InputFlags& input, const ConsoleFlags& console,
                       const LoadOptions& options = {});

}  // namespace minimind
