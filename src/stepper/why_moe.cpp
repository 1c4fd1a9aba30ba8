// The mixture of experts: which ones a token chooses, with which weight, and what comes of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// The probabilities of token n, one an expert.
std::vector<WhyTerm> probabilities(const WhyElement& element, std::int64_t n) {
    const auto p = [&](std::int64_t e) { return element.value(Point::router_probs, {n, e}); };
    return product_terms(element.config().num_experts, p, [](std::int64_t) { return 1.0; });
}

std::int64_t chosen(const WhyElement& element, std::int64_t n, std::int64_t choice) {
    return static_cast<std::int64_t>(element.value(Point::topk_idx, {n, choice}));
}

/// A value, and by how much float32 rounding may have moved it.
struct Rounded {
    double value;
    double rounding;
};

/// One output of a linear layer of x.
Rounded dot(const std::vector<double>& x, const arma::fmat& weight, arma::uword out) {
    double sum = 0.0;
    double magnitude = 0.0;
    for (arma::uword i = 0; i < weight.n_rows; ++i) {
        const double term = x[i] * static_cast<double>(weight.at(i, out));
        sum += term;
        magnitude += std::abs(term);
    }
    return {sum, float_rounding(magnitude, x.size())};
}

/// act(gate) * up, the inner stage of an expert that the pass does not show. No activation is steeper than 1.2.
Rounded gated_of(const std::vector<double>& x, const FeedForward& expert, const std::string& hidden_act,
                 arma::uword c) {
    const Rounded gate = dot(x, expert.gate_proj, c);
    const Rounded up = dot(x, expert.up_proj, c);
    const double act = gate.value * activation_factor(hidden_act, gate.value).value;
    const double act_rounding = 1.2 * gate.rounding + float_rounding(std::abs(gate.value));
    const double product = act * up.value;
    return {product,
            std::abs(up.value) * act_rounding + std::abs(act) * up.rounding + float_rounding(std::abs(product))};
}

}  // namespace

std::vector<std::int64_t> tokens_of_expert(const Recording& recording, int layer, std::int64_t expert) {
    const TensorView& chosen_experts = recording.view({Point::topk_idx, layer});  // [B*S, K]
    std::vector<std::int64_t> tokens;
    for (std::int64_t n = 0; n < chosen_experts.axis(0).size; ++n) {
        for (std::int64_t choice = 0; choice < chosen_experts.axis(1).size; ++choice) {
            if (static_cast<std::int64_t>(value_at(chosen_experts, {n, choice})) == expert) tokens.push_back(n);
        }
    }
    return tokens;
}

Why why_topk_idx(const WhyElement& element) {
    const std::int64_t n = element.at(0);
    const auto choice = static_cast<std::size_t>(element.at(1));
    WhySum sum{"e", fmt::format("router_probs[{}, e]", n), "", probabilities(element, n)};
    std::vector<WhyTerm> order = sum.terms;
    std::ranges::stable_sort(order, std::ranges::greater{}, &WhyTerm::a);
    const std::int64_t expert = order[choice].index;
    const double p = order[choice].a;
    Why answer;
    answer.equation = fmt::format("{} = the e whose router_probs[{}, e] is number {} in size, counted from 0",
                                  element.name(), n, choice);
    answer.steps = {{"sum of p", sum.total(), {"1: a softmax", "是 softmax，和为 1"}, std::move(sum)},
                    {fmt::format("router_probs[{}, {}]", n, expert),
                     p,
                     {fmt::format("number {} in size", choice), fmt::format("从大到小的第 {} 个", choice)}},
                    {element.name(), static_cast<double>(expert), {"that expert", "就是这个专家"}}};
    return answer;
}

Why why_topk_weight(const WhyElement& element) {
    const std::int64_t n = element.at(0);
    const std::int64_t expert = chosen(element, n, element.at(1));
    const double p = element.value(Point::router_probs, {n, expert});
    const std::string p_name = fmt::format("router_probs[{}, {}]", n, expert);
    Why answer;
    answer.steps.push_back({p_name,
                            p,
                            {fmt::format("choice {} of this token", element.at(1)),
                             fmt::format("这个 token 的第 {} 选择", element.at(1))}});
    if (!element.config().norm_topk_prob) {
        answer.equation = fmt::format("{} = {}", element.name(), p_name);
        answer.steps.push_back(
            {element.name(), p, {"as it is: norm_topk_prob is false", "原样使用：norm_topk_prob 为 false"}});
        return answer;
    }
    WhySum sum{"e", fmt::format("router_probs[{}, e], e chosen", n), "", {}};
    for (std::int64_t k = 0; k < element.config().num_experts_per_tok; ++k) {
        const std::int64_t e = chosen(element, n, k);
        sum.terms.push_back({e, element.value(Point::router_probs, {n, e}), 1.0});
    }
    const double total = sum.total() + 1e-20;
    answer.equation = fmt::format("{} = {} / (sum over the chosen + 1e-20)", element.name(), p_name);
    answer.steps.push_back({"sum of the chosen", total, {"with 1e-20", "加上 1e-20"}, std::move(sum)});
    answer.steps.push_back({element.name(), p / total, {"their quotient", "两者之商"}});
    answer.rounding = float_rounding(answer.result(), static_cast<std::size_t>(element.config().num_experts_per_tok));
    return answer;
}

// y[i] = sum over c of act(gate x)[c] * (up x)[c] * Wdown[i, c]
Why why_expert(const WhyElement& element) {
    const int e = element.site.expert;
    const std::int64_t n =
        tokens_of_expert(element.recording, element.site.layer, e)[static_cast<std::size_t>(element.at(0))];
    const auto [b, s] = token_place(element.recording, n);
    const FeedForward& expert = element.block().moe.experts[static_cast<std::size_t>(e)];
    std::vector<double> x;
    for (std::int64_t i = 0; i < element.config().hidden_size; ++i) {
        x.push_back(element.value(Point::post_attention_layernorm, {b, s, i}));
    }
    const auto out = static_cast<arma::uword>(element.at(1));
    WhySum sum{"c", "act(gate x)[c] * (up x)[c]", fmt::format("down_proj.weight[{}, c]", out), {}};
    double inner_rounding = 0.0;
    for (arma::uword c = 0; c < expert.down_proj.n_rows; ++c) {
        const Rounded gated = gated_of(x, expert, element.config().hidden_act, c);
        const auto w = static_cast<double>(expert.down_proj.at(c, out));
        sum.terms.push_back({static_cast<std::int64_t>(c), gated.value, w});
        inner_rounding += std::abs(w) * gated.rounding;
    }
    Why answer;
    answer.equation = fmt::format("{} = sum over c of {} * {},  x = post_attention_layernorm[{}, {}]", element.name(),
                                  sum.a, sum.b, b, s);
    answer.rounding = float_rounding(sum.magnitude(), sum.terms.size()) + inner_rounding;
    answer.steps = {{"token",
                     static_cast<double>(n),
                     {fmt::format("row {} of this expert is token b = {}, s = {}", element.at(0), b, s),
                      fmt::format("这个专家的第 {} 行是 token b = {}, s = {}", element.at(0), b, s)}},
                    {element.name(), sum.total(), {}, std::move(sum)}};
    return answer;
}

// mlp[b, s, i] = sum over the chosen experts e of topk_weight * experts.e
Why why_mixture(const WhyElement& element) {
    const std::int64_t n = element.at(0) * element.recording.batch().seq + element.at(1);
    WhySum sum{"e", fmt::format("topk_weight[{}, of e]", n), fmt::format("mlp.experts.e[..., {}]", element.at(2)), {}};
    for (std::int64_t k = 0; k < element.config().num_experts_per_tok; ++k) {
        const std::int64_t e = chosen(element, n, k);
        const std::vector<std::int64_t> tokens = tokens_of_expert(element.recording, element.site.layer, e);
        const std::int64_t row = std::ranges::find(tokens, n) - tokens.begin();
        sum.terms.push_back({e, element.value(Point::topk_weight, {n, k}),
                             element.value(Point::expert, {row, element.at(2)}, static_cast<int>(e))});
    }
    Why answer;
    answer.equation = fmt::format("{} = sum over the chosen experts e of {} * {}", element.name(), sum.a, sum.b);
    answer.rounding = float_rounding(sum.magnitude(), sum.terms.size());
    answer.steps.push_back({element.name(), sum.total(), {}, std::move(sum)});
    return answer;
}

}  // namespace minimind
