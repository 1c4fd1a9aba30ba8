#include "model/stage.hpp"

namespace minimind {

void StageTrace::announce(Point point, arma::fmat& value, const Shape& shape) const {
    edit(point, value);
    if (wants(point)) hook_->observe(site(point), TensorView(value.memptr(), shape));
}

}  // namespace minimind
