// What a stage is, in words: its formula in both languages, the symbols in it, and the names of its axes.
#pragma once

#include <string>
#include <vector>

#include "console/language.hpp"
#include "stepper/recording.hpp"

namespace minimind {

/// The formula of the hook table; where it is a sentence, in the language.
std::string formula_text(Point point, bool use_moe, Language language);

/// The numbers that stand in a formula beside tensors: "eps = 1e-06", "D = 16", "theta = 1000000".
std::string symbols_text(Point point, const ModelConfig& config);

/// "B batch rows, S tokens, h query heads, D head_dim".
std::string axes_text(const std::vector<std::string>& axes, Language language);

/// "[B=2, S=6, h=4, D=16]"; "one number" for a scalar.
std::string named_shape_text(const std::vector<std::string>& axes, const Shape& shape, Language language);

}  // namespace minimind
