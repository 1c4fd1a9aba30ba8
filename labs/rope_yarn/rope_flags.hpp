// The flags of rope_yarn that are positions, checked against the model's length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/config.hpp"

namespace minimind {

/// --positions 0,1,2,...; without it the powers of two and the last position. Throws Error for what is no position.
std::vector<std::int64_t> positions_of(const std::optional<std::string>& flag, const ModelConfig& config);

/// How many tokens are scored: 8, or half the positions of a very short model.
std::int64_t tokens_to_shift(const ModelConfig& config);

/// 1, 10, 100, ... and last --shift, by default 10000 or as far as the model goes. Throws Error if the shifted tokens
/// would be beyond max_position_embeddings.
std::vector<std::int64_t> shifts_of(const std::optional<std::int64_t>& flag, const ModelConfig& config);

}  // namespace minimind
