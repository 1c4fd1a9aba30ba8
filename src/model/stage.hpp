// How the model announces its stages. Every stage is written as
//
//   const fmat normed = trace(Point::input_layernorm, rms_norm(x, weight, eps));  // [B, S, H]
//
// which hands the value to the hook, if there is one that wants it, and gives it back, edited if the hook edits. Without
// a hook it only moves the value. The line of such an announcement is the line that `minimind hooks` names.
#pragma once

#include <armadillo>

#include "trace/hook.hpp"

namespace minimind {

// One build without hooks exists, to measure that hooks which are off cost nothing.
#ifdef MINIMIND_WITHOUT_HOOKS
inline constexpr bool hooks_compiled = false;
#else
inline constexpr bool hooks_compiled = true;
#endif

class StageTrace {
  public:
    /// `hook` may be null. `layer` and `expert` are -1 where there is none.
    StageTrace(Hook* hook, Batch batch, int layer = -1, int expert = -1)
        : hook_(hook), batch_(batch), layer_(layer), expert_(expert) {}

    StageTrace in_layer(int layer) const { return {hook_, batch_, layer, -1}; }
    StageTrace in_expert(int expert) const { return {hook_, batch_, layer_, expert}; }

    /// A stage of which each column is one token: fmat(n, B*S), shown as [B, S, n].
    arma::fmat operator()(Point point, arma::fmat&& value) const {
        if (watching()) announce(point, value, {batch_.batch, batch_.seq, columns_of(value)});
        return std::move(value);
    }
    /// The same memory shown with other axes; `shape` must have as many elements.
    arma::fmat operator()(Point point, arma::fmat&& value, const Shape& shape) const {
        if (watching()) announce(point, value, shape);
        return std::move(value);
    }
    /// A view of memory that other stages own: shown, never edited.
    void view(Point point, const TensorView& tensor) const {
        if (wants(point)) hook_->observe(site(point), tensor);
    }

    bool wants(Point point) const { return watching() && hook_->wants(site(point)); }
    bool edits(Point point) const { return watching() && hook_->edits(site(point)); }
    void edit(Point point, arma::fmat& value) const {
        if (edits(point)) hook_->edit(site(point), value);
    }

  private:
    bool watching() const { return hooks_compiled && hook_ != nullptr; }
    Site site(Point point) const { return {point, layer_, expert_}; }
    static std::int64_t columns_of(const arma::fmat& value) { return static_cast<std::int64_t>(value.n_rows); }
    void announce(Point point, arma::fmat& value, const Shape& shape) const;

    Hook* hook_;
    Batch batch_;
    int layer_;
    int expert_;
};

}  // namespace minimind
