// The matrix products of the model, computed by BLAS. Weights stay in PyTorch's layout: a weight [out, in] in
// row-major order is the same memory as fmat(in, out), so that `Y = W.t() * X` needs no transpose.
#pragma once

#include <armadillo>

namespace minimind {

/// Columns of length `rows` that lie `stride` floats apart: one head of all tokens, a range of tokens, a whole matrix.
struct Columns {
    const float* data = nullptr;
    arma::uword rows = 0;
    arma::uword cols = 0;
    arma::uword stride = 0;

    Columns first(arma::uword count) const { return {data, rows, count, stride}; }
    Columns range(arma::uword begin, arma::uword count) const { return {data + begin * stride, rows, count, stride}; }
};

/// All columns of a matrix.
Columns columns_of(const arma::fmat& matrix);

/// y = W x for every token: x [in, tokens], weight [in, out] -> [out, tokens]. PyTorch: F.linear(x, weight).
arma::fmat linear(const arma::fmat& weight, const arma::fmat& x);

// One column is a matrix-vector product, and a few are as many of them, over pieces of `a` that stay in the cache:
// OpenBLAS's sgemm first copies `a`, which pays for many columns only.

/// out = scale * a^T b, out [a.cols, b.cols] with columns `out_stride` apart.
void multiply_transposed(const Columns& a, const Columns& b, float scale, float* out, arma::uword out_stride);

/// out = a b, out [a.rows, b.cols] with columns `out_stride` apart.
void multiply(const Columns& a, const Columns& b, float* out, arma::uword out_stride);

}  // namespace minimind
