// Lab of lesson 21: RMSNorm beside LayerNorm, value by value; where eps counts; and why the reference casts up.
//
//   RMSNorm    x / sqrt(mean(x^2) + eps)
//   LayerNorm  (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps)
//
// Both with weight 1 and without bias, so that only the normalisation is compared. mean(x^2) = variance + mean^2: where
// the mean is near 0 the two are nearly the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare_norms/explanations.hpp"
#include "compare_norms/half_precision.hpp"
#include "console/model_loading.hpp"
#include "core/error.hpp"
#include "labs.hpp"
#include "model/rms_norm.hpp"
#include "report/lab_output.hpp"
#include "trace/recorder.hpp"

namespace minimind {

namespace {

struct LabSettings {
    std::int64_t layer = 0;
    double offset = 0.0;
    std::int64_t values = 8;
};

/// Of one vector; the variance is divided by n.
struct Moments {
    double mean = 0.0;
    double variance = 0.0;

    double mean_square() const { return variance + mean * mean; }
    double rms() const { return std::sqrt(mean_square()); }
};

Moments moments_of(const arma::fvec& x) {
    const arma::vec values = arma::conv_to<arma::vec>::from(x);
    return {arma::mean(values), arma::var(values, 1)};
}

/// The textbook's LayerNorm. x [B, S, H]: one column a token.
arma::fmat layer_norm(const arma::fmat& x, double eps) {
    arma::fmat y(x.n_rows, x.n_cols, arma::fill::none);
    for (arma::uword token = 0; token < x.n_cols; ++token) {
        const Moments moments = moments_of(x.col(token));
        const double scale = 1.0 / std::sqrt(moments.variance + eps);
        for (arma::uword i = 0; i < x.n_rows; ++i) {
            y(i, token) = static_cast<float>((x(i, token) - moments.mean) * scale);
        }
    }
    return y;
}

/// The engine's RMSNorm with every weight 1.
arma::fmat plain_rms_norm(const arma::fmat& x, double eps) {
    return rms_norm(x, arma::fmat(x.n_rows, 1, arma::fill::ones), eps);
}

/// What block `layer` gets: the residual stream [B, S, H].
arma::fmat block_input(const CausalLm& model, const TokenInput& input, std::int64_t layer) {
    Recorder recorder([layer](Site site) { return site == Site{Point::resid_pre, static_cast<int>(layer)}; });
    ForwardOptions options;
    options.attention_mask = input.attention_mask;
    options.hook = &recorder;
    model.forward(input.ids, options);
    const Record& record = recorder.records().at(0);
    return {record.f32.data(), static_cast<arma::uword>(record.shape[2]),
            static_cast<arma::uword>(input.ids.batch.tokens())};
}

void show_values(LabOutput& out, const arma::fmat& x, double eps, std::int64_t count) {
    const arma::fmat row = x.col(0);
    const arma::fmat rms = plain_rms_norm(row, eps);
    const arma::fmat layer = layer_norm(row, eps);
    out.section("One Row");
    out.line(fmt::format("{:>5} {:>12} {:>12} {:>12} {:>12}", "i", "x", "RMSNorm", "LayerNorm", "difference"));
    for (arma::uword i = 0; i < std::min(row.n_rows, static_cast<arma::uword>(count)); ++i) {
        const float difference = rms[i] - layer[i];
        out.row(fmt::format("{:>5} {:>12.6f} {:>12.6f} {:>12.6f} {:>12.6f}", i, row[i], rms[i], layer[i], difference),
                {{"i", i}, {"x", row[i]}, {"rms_norm", rms[i]}, {"layer_norm", layer[i]}, {"difference", difference}});
    }

    out.section("Before and After");
    out.line(fmt::format("{:<10} {:>12} {:>12} {:>12}", "", "mean", "variance", "RMS"));
    const auto show = [&](const std::string& name, const arma::fmat& vector) {
        const Moments moments = moments_of(vector);
        const double mean =
            std::abs(moments.mean) < 5e-7 ? 0.0 : moments.mean;  // rounding noise has no sign worth showing
        out.row(fmt::format("{:<10} {:>12.6f} {:>12.6f} {:>12.6f}", name, mean, moments.variance, moments.rms()),
                {{"vector", name}, {"mean", moments.mean}, {"variance", moments.variance}, {"rms", moments.rms()}});
    };
    show("x", row);
    show("RMSNorm", rms);
    show("LayerNorm", layer);
}

/// All rows, each number of them moved by an offset.
void show_offsets(LabOutput& out, const arma::fmat& x, double eps, double own_offset) {
    std::vector<double> offsets = {0.0, 0.02, 0.1, 1.0};
    if (std::find(offsets.begin(), offsets.end(), own_offset) == offsets.end()) offsets.push_back(own_offset);
    out.section("Offset");
    out.value("1/H", 1.0 / static_cast<double>(x.n_rows), fmt::format("{:.6f}", 1.0 / static_cast<double>(x.n_rows)));
    out.line(fmt::format("{:>8} {:>14} {:>14} {:>14}", "offset", "mean^2/ms", "max |diff|", "mean |diff|"));
    for (const double offset : offsets) {
        const arma::fmat moved = x + static_cast<float>(offset);
        double share = 0.0;  // of the mean square, that is mean^2: the average over all rows
        for (arma::uword token = 0; token < moved.n_cols; ++token) {
            const Moments moments = moments_of(moved.col(token));
            share += moments.mean * moments.mean / moments.mean_square() / static_cast<double>(moved.n_cols);
        }
        const arma::fmat difference = arma::abs(plain_rms_norm(moved, eps) - layer_norm(moved, eps));
        const double mean = arma::accu(difference) / static_cast<double>(difference.n_elem);
        out.row(fmt::format("{:>8g} {:>14.6f} {:>14.6f} {:>14.6f}", offset, share, difference.max(), mean),
                {{"offset", offset},
                 {"mean_square_share", share},
                 {"max_abs_diff", difference.max()},
                 {"mean_abs_diff", mean}});
    }
}

/// A row of RMS r, every number r or -r, comes out with RMS r / sqrt(r^2 + eps).
void show_eps(LabOutput& out, double own_eps) {
    std::vector<double> all_eps = {1e-6, 1e-5};
    if (std::find(all_eps.begin(), all_eps.end(), own_eps) == all_eps.end()) all_eps.push_back(own_eps);
    out.section("Where eps Counts");
    std::string heading = fmt::format("{:>10}", "input RMS");
    for (const double eps : all_eps) heading += fmt::format("{:>16}", fmt::format("eps {:g}", eps));
    out.line(heading);
    for (const float r : {10.0F, 1.0F, 0.1F, 0.02F, 0.01F, 0.001F, 0.0001F}) {
        const arma::fmat row = {r, -r, r, -r};
        std::string line = fmt::format("{:>10g}", r);
        LabOutput::Json by_eps;
        for (const double eps : all_eps) {
            const double output_rms = moments_of(plain_rms_norm(row.t(), eps)).rms();
            line += fmt::format("{:>16.6f}", output_rms);
            by_eps[fmt::format("{:g}", eps)] = output_rms;
        }
        out.row(line, {{"input_rms", r}, {"output_rms", by_eps}});
    }
}

}  // namespace

int compare_norms(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    InputFlags input_flags;
    LabFlags lab_flags;
    LabSettings settings;
    Arguments args("compare_norms", "RMSNorm beside LayerNorm, eps, and fewer bits (lesson 21).");
    args.integer("--layer", settings.layer, "the block whose input is normalised", at_least(0));
    args.real("--offset", settings.offset, "added to every number of the rows", {-1e6, 1e6});
    args.integer("--values", settings.values, "how many numbers of the first row are shown", at_least(1));
    add_model_and_input(args, model_flags, input_flags);
    lab_flags.add(args);
    args.example("minimind compare_norms", "fresh embeddings: the two norms agree");
    args.example("minimind compare_norms --offset 1", "rows whose mean is not 0: they do not");
    args.example("minimind compare_norms --rms_norm_eps 1e-3", "an eps that is felt");
    if (!args.parse(words)) return 0;

    const LoadedModel loaded = load_model(model_flags, input_flags, lab_flags.console);
    const ModelConfig& config = loaded.model.config();
    if (settings.layer >= config.num_hidden_layers) {
        throw Error(fmt::format("there is no block {}", settings.layer))
            .at(fmt::format("--layer {}", settings.layer))
            .help(fmt::format("use 0 to {}", config.num_hidden_layers - 1));
    }
    const TokenInput input = input_flags.tokens(config);
    const Batch batch = input.ids.batch;
    const double eps = config.rms_norm_eps;
    const arma::fmat stream = block_input(loaded.model, input, settings.layer);  // [B, S, H]
    const arma::fmat x = stream + static_cast<float>(settings.offset);

    LabOutput out("compare_norms", lab_flags);
    out.explain_with(explain_norms(config, batch));
    out.section("Input");
    out.value("rows", site_name({Point::resid_pre, static_cast<int>(settings.layer)}));
    out.shape("rows", {batch.batch, batch.seq, config.hidden_size});
    out.value("offset", settings.offset);
    out.value("rms_norm_eps", eps);
    show_values(out, x, eps, settings.values);
    show_offsets(out, stream, eps, settings.offset);
    show_eps(out, eps);
    show_half_precision(out, Generator(model_flags.seed), config.hidden_size, eps);
    out.finish();
    return 0;
}

}  // namespace minimind
