// RMSNorm (Zhang & Sennrich 2019): every vector is divided by its root mean square, then scaled by a learned weight.
//
//   y = x / sqrt(mean(x^2) + eps) * weight          over the last axis, in float32
//
// Unlike LayerNorm it subtracts no mean and has no bias. eps is inside the root: an input of RMS r comes out with RMS
// r / sqrt(r^2 + eps), a little less than 1.
#pragma once

#include <armadillo>

namespace minimind {

/// x [n, ...] in columns of any multiple of weight's length d: [B, S, H] with weight [H] normalises whole tokens,
/// [B, S, h*D] with weight [D] normalises every head by itself.
arma::fmat rms_norm(const arma::fmat& x, const arma::fmat& weight, double eps);

/// The same of an x that is moved in: its memory becomes the result's.
arma::fmat rms_norm(arma::fmat&& x, const arma::fmat& weight, double eps);

}  // namespace minimind
