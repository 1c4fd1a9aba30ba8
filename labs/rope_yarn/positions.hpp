// What positions do to the score of a query and a key.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config.hpp"
#include "report/lab_output.hpp"

namespace minimind {

/// The config with YaRN switched on or off.
ModelConfig with_yarn(ModelConfig config, bool is_on);

/// A vector at position 0 against itself at each of `positions`, with YaRN off and on.
void show_similarity(LabOutput& out, const ModelConfig& config, const std::vector<std::int64_t>& positions);

/// Scores of random queries and keys at positions 0, 1, ... against the same ones `shift` positions later.
void show_shift(LabOutput& out, const ModelConfig& config, const std::vector<std::int64_t>& shifts, std::uint64_t seed);

}  // namespace minimind
