#include "compare_norms/half_precision.hpp"

#include <fmt/format.h>

#include <armadillo>

#include "model/rms_norm.hpp"

namespace minimind {

namespace {

constexpr arma::uword row_count = 16;
constexpr float large = 300.0F;  // its square is 90000, and fp16 ends at 65504

arma::fmat rounded(arma::fmat x, const NumberFormat& format) {
    x.transform([&](float value) { return rounded(value, format); });
    return x;
}

/// Every result is rounded to the format; only the sum runs in float32, as PyTorch's does. x [rows, H] in columns.
arma::fmat rms_norm_inside(const NumberFormat& format, const arma::fmat& x, double eps) {
    const arma::fmat squares = rounded(arma::square(x), format);
    arma::fmat y(x.n_rows, x.n_cols, arma::fill::none);
    for (arma::uword row = 0; row < x.n_cols; ++row) {
        const float mean =
            rounded(static_cast<float>(arma::accu(squares.col(row))) / static_cast<float>(x.n_rows), format);
        const float shifted = rounded(mean + static_cast<float>(eps), format);
        const float root = rounded(std::sqrt(shifted), format);
        const float scale = rounded(1.0F / root, format);  // PyTorch's rsqrt rounds the root, too
        for (arma::uword i = 0; i < x.n_rows; ++i) y(i, row) = rounded(x(i, row) * scale, format);
    }
    return y;
}

/// The reference's way: x.float(), the norm in float32, and one rounding at the end (type_as).
arma::fmat rms_norm_cast_up(const NumberFormat& format, const arma::fmat& x, double eps) {
    return rounded(rms_norm(x, arma::fmat(x.n_rows, 1, arma::fill::ones), eps), format);
}

/// In double: what the others are measured against.
arma::mat rms_norm_exact(const arma::fmat& x, double eps) {
    const arma::mat values = arma::conv_to<arma::mat>::from(x);
    const arma::rowvec root = arma::sqrt(arma::mean(arma::square(values), 0) + eps);  // one for each row of x
    return values.each_row() / root;
}

double rms(const arma::fmat& y) {
    return std::sqrt(arma::accu(arma::square(arma::conv_to<arma::mat>::from(y))) / static_cast<double>(y.n_elem));
}

}  // namespace

void show_half_precision(LabOutput& out, Generator generator, std::int64_t width, double eps) {
    arma::fmat x(static_cast<arma::uword>(width), row_count);  // torch.randn(16, H)
    generator.fill_normal(x.memptr(), x.n_elem, 0.0, 1.0);

    out.section("Half Precision");
    out.line(fmt::format("{:<14}{:>10}{:>20}{:>26}", "", "300^2", "randn: max error", "300 x randn: output RMS"));
    for (const NumberFormat& format : {fp32_format(), fp16_format(), bf16_format()}) {
        const arma::fmat stored = rounded(x, format);
        const arma::fmat stored_large = rounded(large * x, format);
        for (const bool is_cast_up : {false, true}) {
            if (is_cast_up && format.name == "fp32") continue;  // nothing to cast
            const auto norm = is_cast_up ? rms_norm_cast_up : rms_norm_inside;
            const float square = is_cast_up ? large * large : rounded(large * large, format);
            const arma::mat error =
                arma::conv_to<arma::mat>::from(norm(format, stored, eps)) - rms_norm_exact(stored, eps);
            const double max_error = arma::abs(error).max();
            const double output_rms = rms(norm(format, stored_large, eps));
            const std::string name = format.name + (is_cast_up ? ", cast up" : "");
            out.row(fmt::format("{:<14}{:>10g}{:>20.6f}{:>26.4f}", name, square, max_error, output_rms),
                    {{"arithmetic", name},
                     {"square_of_300", square},
                     {"max_error", max_error},
                     {"output_rms", output_rms}});
        }
    }
}

}  // namespace minimind
