// Fresh weights: with Generator(42), those of `torch.manual_seed(42); MiniMindForCausalLM(config)` on a CPU.
//
// While PyTorch builds the model, every module fills its own weight: an embedding from a normal distribution, a linear
// layer uniformly within +-1/sqrt(in), the head too, tied or not. Then every linear layer and embedding, in module
// order, is drawn again as normal(0, 0.02); a tied table twice, as embedding and as head, and the last draw stands.
// Norms are 1. What is overwritten is only counted here, not computed.
#pragma once

#include <functional>

#include "model/config.hpp"
#include "model/parameters.hpp"
#include "random/generator.hpp"

namespace minimind {

/// Where the values of a parameter go: count() floats, row-major. Null: they are not wanted, their draws are counted.
using Storage = std::function<float*(const ParameterInfo&)>;

/// Fills all parameters; leaves the generator where PyTorch's is after it built the model. `storage` is asked once for
/// each parameter of parameter_list(config), in the order in which they are filled: a tied table comes last.
/// The config must be completed.
void initialise(const ModelConfig& config, Generator& generator, const Storage& storage);

/// Draws the norm weights in the order of parameter_list, each as tensor.normal_(1, 0.1): fresh ones are all 1, and a
/// missed factor of 1 shows nowhere.
void random_norm_weights(const ModelConfig& config, Generator& generator, const Storage& storage);

}  // namespace minimind
