// Sums and products of equal shapes, value by value. The first operand is moved in and becomes the result, so that
// nothing is allocated.
#pragma once

#include <armadillo>

namespace minimind {

/// a + b: how a block writes its increment into the residual stream.
arma::fmat elementwise_sum(arma::fmat a, const arma::fmat& b);

/// a * b: how the gate of SwiGLU lets values through.
arma::fmat elementwise_product(arma::fmat a, const arma::fmat& b);

}  // namespace minimind
