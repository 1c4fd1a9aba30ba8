#include "model/products.hpp"

#include <cblas.h>

namespace minimind {

namespace {

blasint to_blas(arma::uword n) {
    return static_cast<blasint>(n);
}

}  // namespace

arma::fmat linear(const arma::fmat& weight, const arma::fmat& x) {
    arma::fmat y(weight.n_cols, x.n_cols, arma::fill::none);  // [out, tokens]
    multiply_transposed({weight.memptr(), weight.n_rows, weight.n_cols, weight.n_rows},
                        {x.memptr(), x.n_rows, x.n_cols, x.n_rows}, 1.0F, y.memptr(), y.n_rows);
    return y;
}

void multiply_transposed(const Columns& a, const Columns& b, float scale, float* out, arma::uword out_stride) {
    if (a.cols == 0 || b.cols == 0) return;
    if (b.cols == 1) {
        cblas_sgemv(CblasColMajor, CblasTrans, to_blas(a.rows), to_blas(a.cols), scale, a.data, to_blas(a.stride),
                    b.data, 1, 0.0F, out, 1);
        return;
    }
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, to_blas(a.cols), to_blas(b.cols), to_blas(a.rows), scale,
                a.data, to_blas(a.stride), b.data, to_blas(b.stride), 0.0F, out, to_blas(out_stride));
}

void multiply(const Columns& a, const Columns& b, float* out, arma::uword out_stride) {
    if (a.rows == 0 || b.cols == 0) return;
    if (b.cols == 1) {
        cblas_sgemv(CblasColMajor, CblasNoTrans, to_blas(a.rows), to_blas(a.cols), 1.0F, a.data, to_blas(a.stride),
                    b.data, 1, 0.0F, out, 1);
        return;
    }
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, to_blas(a.rows), to_blas(b.cols), to_blas(a.cols), 1.0F,
                a.data, to_blas(a.stride), b.data, to_blas(b.stride), 0.0F, out, to_blas(out_stride));
}

}  // namespace minimind
