// How a forward pass is watched. The model holds a nullable pointer to a Hook: without one it forms no tensor that it
// does not need itself; with one its results are the same, bit for bit, unless the hook edits.
#pragma once

#include <armadillo>

#include "trace/point.hpp"
#include "trace/tensor_view.hpp"

namespace minimind {

/// All calls come from one thread, in order of time. `wants` and `edits` must answer the same during a whole pass.
class Hook {
  public:
    virtual ~Hook() = default;

    /// Whether observe should be called for this stage. Asked first, so that nothing is formed in vain.
    virtual bool wants(Site site) const = 0;

    /// The tensor of a stage, in order of time. The view is valid during the call only.
    virtual void observe(Site site, const TensorView& tensor) = 0;

    /// Whether edit should be called for this stage, before it is observed and used.
    virtual bool edits(Site) const { return false; }

    /// Changes a stage in place. The layout is the one that the model computes with: token (b, s) is column b*S + s;
    /// attention scores come as one matrix [T, S] for each batch row and head, in that order.
    virtual void edit(Site, arma::fmat&) {}
};

}  // namespace minimind
