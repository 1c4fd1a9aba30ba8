// The parameters that a stage reads.
#pragma once

#include <string>
#include <vector>

#include "model/causal_lm.hpp"
#include "model/parameters.hpp"
#include "trace/point.hpp"

namespace minimind {

struct StageParameter {
    ParameterInfo info;      // a tied head: that of the embedding
    std::string short_name;  // "self_attn.q_proj.weight": within the layer
    const arma::fmat* values = nullptr;
    bool is_tied_head = false;  // lm_head.weight, which is the embedding's table
};

/// In the order of the hook table; empty for a stage that reads none.
std::vector<StageParameter> parameters_of(const CausalLm& model, Site site);

}  // namespace minimind
