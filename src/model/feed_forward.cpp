#include "model/feed_forward.hpp"

#include "model/activation.hpp"
#include "model/elementwise.hpp"
#include "model/products.hpp"

namespace minimind {

arma::fmat FeedForward::forward(const arma::fmat& x, const std::string& hidden_act, const StageTrace& trace) const {
    arma::fmat gate = trace(Point::gate_proj, linear(gate_proj, x));                        // [B, S, I]
    arma::fmat act = trace(Point::act_fn, activate(hidden_act, std::move(gate)));           // [B, S, I]
    const arma::fmat up = trace(Point::up_proj, linear(up_proj, x));                        // [B, S, I]
    const arma::fmat gated = trace(Point::gated, elementwise_product(std::move(act), up));  // [B, S, I]
    return trace(Point::down_proj, linear(down_proj, gated));                               // [B, S, H]
}

arma::fmat FeedForward::forward(const arma::fmat& x, const std::string& hidden_act) const {
    return forward(x, hidden_act, StageTrace(nullptr, {1, static_cast<std::int64_t>(x.n_cols)}));
}

}  // namespace minimind
