#include "trace_ffn_moe/dense_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/text.hpp"
#include "model/activation.hpp"
#include "model/products.hpp"
#include "trace_ffn_moe/mlp_trace.hpp"

namespace minimind {

namespace {

void show_stage(LabOutput& out, const std::string& stage, const TensorView& values) {
    const float mean_rms = statistics_of(values).mean_rms;
    out.row(fmt::format("{:<25} shape={} mean_rms={:.6f}", stage, shape_text(values.shape()), mean_rms),
            {{"stage", stage}, {"shape", values.shape()}, {"mean_rms", mean_rms}});
}

void show_number(LabOutput& out, const std::string& key, double number) {
    out.value(key, number, fmt::format("{:.4f}", number));
}

double share(const arma::fmat& values, bool (*counts)(float)) {
    const auto counted = std::count_if(values.begin(), values.end(), counts);
    return static_cast<double>(counted) / static_cast<double>(values.n_elem);
}

/// The network in one line of the textbook. x [B, S, H] -> [B, S, H]
arma::fmat swiglu_by_hand(const FeedForward& mlp, const std::string& hidden_act, const arma::fmat& x) {
    const arma::fmat act = activate(hidden_act, mlp.gate_proj.t() * x);  // [B, S, I]
    const arma::fmat up = mlp.up_proj.t() * x;                           // [B, S, I]
    return mlp.down_proj.t() * (act % up);
}

void show_stages(LabOutput& out, const std::vector<Record>& records, const arma::fmat& by_hand) {
    out.section("Dense FFN");
    for (const Record& record : records) {
        const std::string name = site_name(record.site);
        show_stage(out, name.substr(name.find_last_of('.') + 1), record.view());
    }
    const float difference = arma::abs(by_hand - values_of(records.back())).max();
    out.value("by_hand_vs_module_max_abs_diff", difference, fmt::format("{:.2e}", difference));
}

void show_gate(LabOutput& out, const arma::fmat& gate, const arma::fmat& act) {
    out.section("Gate");
    show_number(out, "share(gate_proj < 0)", share(gate, [](float v) { return v < 0.0F; }));
    show_number(out, "share(act_fn < 0)", share(act, [](float v) { return v < 0.0F; }));
    show_number(out, "share(act_fn == 0)", share(act, [](float v) { return v == 0.0F; }));
    show_number(out, "share(act_fn > 1)", share(act, [](float v) { return v > 1.0F; }));
    show_number(out, "min(act_fn)", static_cast<double>(act.min()));
    show_number(out, "max(act_fn)", static_cast<double>(act.max()));
}

/// W2 relu(W1 x) with weights of its own, from the generator, on the same x.
void show_relu_network(LabOutput& out, const arma::fmat& x, Batch batch, Generator& generator) {
    const arma::uword hidden = x.n_rows;
    const auto fresh = [&](arma::uword in, arma::uword width) {  // weight [width, in]
        arma::fmat weight(in, width, arma::fill::none);
        generator.fill_normal(weight.memptr(), weight.n_elem, 0.0, 0.02);
        return weight;
    };
    const arma::fmat w1 = fresh(hidden, 4 * hidden);
    const arma::fmat w2 = fresh(4 * hidden, hidden);
    const arma::fmat inner = activate("relu", linear(w1, x));  // [B, S, 4H]
    const arma::fmat y = linear(w2, inner);                    // [B, S, H]
    const auto view = [&](const arma::fmat& values) {
        return TensorView(values.memptr(), Shape{batch.batch, batch.seq, static_cast<std::int64_t>(values.n_rows)});
    };
    out.section("FFN of 2017");
    show_stage(out, "relu(W1 x)", view(inner));
    show_stage(out, "W2 relu(W1 x)", view(y));
    show_number(out, "share(relu(W1 x) == 0)", share(inner, [](float v) { return v == 0.0F; }));
}

std::int64_t up_to_64(double width) {
    return static_cast<std::int64_t>(std::ceil(width / 64.0)) * 64;
}

/// Two matrices of width 4H, or three of a smaller one: what each costs.
void show_widths(LabOutput& out, const ModelConfig& config) {
    const std::int64_t hidden = config.hidden_size;
    const auto h = static_cast<double>(hidden);
    struct Network {
        std::string name;
        int matrices;
        std::int64_t width;
    };
    const std::vector<Network> networks = {{"2017: relu, 4 H", 2, 4 * hidden},
                                           {"SwiGLU, 8/3 H up to 64", 3, up_to_64(h * 8.0 / 3.0)},
                                           {"SwiGLU, pi H up to 64", 3, up_to_64(h * std::numbers::pi)},
                                           {"SwiGLU, this model", 3, config.intermediate_size}};
    out.section("Widths");
    out.line(fmt::format("{:<24}{:>10}{:>10}{:>16}{:>14}", "", "matrices", "width", "parameters", "against 8H^2"));
    for (const Network& network : networks) {
        const std::int64_t count = network.matrices * hidden * network.width;
        const double more = static_cast<double>(count) / (8.0 * h * h) - 1.0;
        out.row(fmt::format("{:<24}{:>10}{:>10}{:>16}{:>+13.2f}%", network.name, network.matrices, network.width,
                            with_commas(count), 100.0 * more),
                {{"network", network.name},
                 {"matrices", network.matrices},
                 {"width", network.width},
                 {"parameters", count},
                 {"more_than_8h2", more}});
    }
}

}  // namespace

void show_dense(LabOutput& out, const CausalLm& model, const TokenInput& input, int layer, Generator& generator) {
    const ModelConfig& config = model.config();
    const std::vector<Record> records = trace_mlp(model, input, layer,
                                                  {Point::post_attention_layernorm, Point::gate_proj, Point::act_fn,
                                                   Point::up_proj, Point::gated, Point::down_proj})
                                            .records;
    const arma::fmat x = values_of(records.front());  // [B, S, H]
    const FeedForward& mlp = model.model().layers[static_cast<std::size_t>(layer)].mlp;
    show_stages(out, records, swiglu_by_hand(mlp, config.hidden_act, x));
    show_gate(out, values_of(records.at(1)), values_of(records.at(2)));
    show_relu_network(out, x, input.ids.batch, generator);
    show_widths(out, config);
}

}  // namespace minimind
