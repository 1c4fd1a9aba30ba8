// A model with fresh weights, as PyTorch builds it.
#pragma once

#include "model/causal_lm.hpp"
#include "random/generator.hpp"

namespace minimind {

/// The weights of `torch.manual_seed(seed); MiniMindForCausalLM(config)`, where `generator` was made from that seed; it
/// is left where PyTorch's is after that. With `random_norms` the norm weights are drawn after all else as
/// 1 + 0.1 normal instead of 1. The config must be completed.
CausalLm fresh_model(const ModelConfig& config, Generator& generator, bool random_norms = false);

}  // namespace minimind
