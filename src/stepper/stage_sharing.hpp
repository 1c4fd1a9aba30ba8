// Stages that show the bytes of an earlier one: q is q_proj seen as heads, k_repeat is k_rope with each head repeated,
// self_attn is o_proj. A recording keeps such bytes once.
#pragma once

#include <optional>
#include <vector>

#include "model/config.hpp"
#include "trace/point.hpp"
#include "trace/tensor_view.hpp"

namespace minimind {

struct Stage;

/// Whether a stage has the values of an earlier one, unless something was edited between them.
bool is_view_of_another(Point point);

/// The tensor as a view of what is kept of an earlier stage; nothing if there is none with the same values.
std::optional<TensorView> shared_view(const std::vector<Stage>& kept, Site site, const TensorView& tensor,
                                      const ModelConfig& config);

}  // namespace minimind
