// Dot products: linear layers, attention scores, weighted values.
#include <fmt/format.h>

#include <cmath>

#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// y[o] = sum over i of W[o, i] * x[i].
struct LinearLayer {
    const arma::fmat* weight;  // [out, in] as fmat(in, out)
    std::string weight_name;
    Site input;
    std::vector<std::int64_t> row;  // where x lies in the input
    std::int64_t out;               // o
};

LinearLayer linear_layer(const WhyElement& element) {
    const Block* block = element.site.layer < 0 ? nullptr : &element.block();
    const auto layer = [&](const arma::fmat& weight, Point input) {
        return LinearLayer{&weight,
                           short_name(element.site) + ".weight",
                           element.stage(input),
                           {element.at(0), element.at(1)},
                           element.at(2)};
    };
    switch (element.site.point) {
        case Point::q_proj:
            return layer(block->self_attn.q_proj, Point::input_layernorm);
        case Point::k_proj:
            return layer(block->self_attn.k_proj, Point::input_layernorm);
        case Point::v_proj:
            return layer(block->self_attn.v_proj, Point::input_layernorm);
        case Point::o_proj:
            return layer(block->self_attn.o_proj, Point::merged);
        case Point::gate_proj:
            return layer(block->mlp.gate_proj, Point::post_attention_layernorm);
        case Point::up_proj:
            return layer(block->mlp.up_proj, Point::post_attention_layernorm);
        case Point::down_proj:
            return layer(block->mlp.down_proj, Point::gated);
        case Point::router_logits: {  // one row a token, [B*S, E]
            const auto [b, s] = token_place(element.recording, element.at(0));
            return {&block->moe.gate,
                    "mlp.gate.weight",
                    element.stage(Point::post_attention_layernorm),
                    {b, s},
                    element.at(1)};
        }
        default: {  // lm_head, perhaps of the last positions only
            const std::int64_t kept = element.recording.view(element.site).axis(1).size;
            const std::int64_t first = element.recording.batch().seq - kept;
            return {&element.recording.model().lm_head(),
                    "lm_head.weight",
                    {Point::norm},
                    {element.at(0), first + element.at(1)},
                    element.at(2)};
        }
    }
}

}  // namespace

Why why_linear(const WhyElement& element) {
    const LinearLayer layer = linear_layer(element);
    const TensorView& x = element.recording.view(layer.input);
    const auto out = static_cast<arma::uword>(layer.out);
    WhySum sum{
        "i", fmt::format("{}[{}, i]", short_name(layer.input), fmt::join(layer.row, ", ")),
        fmt::format("{}[{}, i]", layer.weight_name, layer.out),
        product_terms(
            static_cast<std::int64_t>(layer.weight->n_rows),
            [&](std::int64_t i) {
                return value_at(x, {layer.row[0], layer.row[1], i});
            },
            [&](std::int64_t i) { return static_cast<double>(layer.weight->at(static_cast<arma::uword>(i), out)); })};
    Why answer;
    answer.equation = fmt::format("{} = sum over i of {} * {}", element.name(), sum.a, sum.b);
    answer.rounding = float_rounding(sum.magnitude(), sum.terms.size());
    answer.steps.push_back({element.name(), sum.total(), {}, std::move(sum)});
    return answer;
}

// scores[b, j, s, t] = q_rope[b, s, j, :] . k_repeat[b, t, j, :] / sqrt(D)
Why why_scores(const WhyElement& element) {
    const std::int64_t b = element.at(0), j = element.at(1), s = element.at(2), t = element.at(3);
    const std::int64_t dim = element.config().head_dim;
    const TensorView& q = element.recording.view(element.stage(Point::q_rope));
    const TensorView& k = element.recording.view(element.stage(Point::k_repeat));
    WhySum sum{"d", fmt::format("q_rope[{}, {}, {}, d]", b, s, j), fmt::format("k_repeat[{}, {}, {}, d]", b, t, j),
               product_terms(
                   dim,
                   [&](std::int64_t d) {
                       return value_at(q, {b, s, j, d});
                   },
                   [&](std::int64_t d) {
                       return value_at(k, {b, t, j, d});
                   })};
    const double product = sum.total();
    const double root = std::sqrt(static_cast<double>(dim));
    Why answer;
    answer.equation = fmt::format("{} = sum over d of {} * {} / sqrt(D)", element.name(), sum.a, sum.b);
    answer.rounding = float_rounding(sum.magnitude() / root, sum.terms.size());
    answer.steps = {{"q . k", product, {}, std::move(sum)},
                    {"sqrt(D)", root, {fmt::format("D = {}", dim), fmt::format("D = {}", dim)}},
                    {element.name(), product / root, {"q . k / sqrt(D)", "q . k / sqrt(D)"}}};
    return answer;
}

// z[b, j, s, d] = sum over keys t of attn_weights[b, j, s, t] * v_repeat[b, t, j, d]
Why why_weighted_values(const WhyElement& element) {
    const std::int64_t b = element.at(0), j = element.at(1), s = element.at(2), d = element.at(3);
    const TensorView& weights = element.recording.view(element.stage(Point::attn_weights));
    const TensorView& v = element.recording.view(element.stage(Point::v_repeat));
    WhySum sum{"t", fmt::format("attn_weights[{}, {}, {}, t]", b, j, s),
               fmt::format("v_repeat[{}, t, {}, {}]", b, j, d),
               product_terms(
                   weights.axis(3).size,
                   [&](std::int64_t t) {
                       return value_at(weights, {b, j, s, t});
                   },
                   [&](std::int64_t t) {
                       return value_at(v, {b, t, j, d});
                   })};
    Why answer;
    answer.equation = fmt::format("{} = sum over t of {} * {}", element.name(), sum.a, sum.b);
    answer.rounding = float_rounding(sum.magnitude(), sum.terms.size());
    answer.steps.push_back({element.name(), sum.total(), {}, std::move(sum)});
    return answer;
}

}  // namespace minimind
