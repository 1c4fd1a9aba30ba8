// RMSNorm, and the rotary embedding with its tables.
#include <fmt/format.h>

#include <cmath>

#include "stepper/stage_inputs.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// What a norm reads: a vector of a stage, and its weight.
struct NormInput {
    Site input;
    const arma::fmat* weight;
};

NormInput norm_input(const WhyElement& element) {
    switch (element.site.point) {
        case Point::input_layernorm:
            return {element.stage(Point::resid_pre), &element.block().input_layernorm};
        case Point::post_attention_layernorm:
            return {element.stage(Point::resid_mid), &element.block().post_attention_layernorm};
        case Point::q_norm:
            return {element.stage(Point::q), &element.block().self_attn.q_norm};
        case Point::k_norm:
            return {element.stage(Point::k), &element.block().self_attn.k_norm};
        default:
            return {stream_before(static_cast<int>(element.config().num_hidden_layers)),
                    &element.recording.model().model().norm};
    }
}

/// The same index with another place on the last axis.
std::vector<std::int64_t> with_last(std::vector<std::int64_t> index, std::int64_t last) {
    index.back() = last;
    return index;
}

/// "resid_pre[0, 3, i]"
std::string vector_name(Site site, const std::vector<std::int64_t>& index) {
    std::vector<std::string> places;
    for (const std::int64_t place : index) places.push_back(std::to_string(place));
    places.back() = "i";
    return indexed(short_name(site), places);
}

}  // namespace

// y[i] = x[i] / sqrt(mean(x^2) + eps) * weight[i]
Why why_rms_norm(const WhyElement& element) {
    const auto [input, weight] = norm_input(element);
    const TensorView& x = element.recording.view(input);
    const auto n = static_cast<std::int64_t>(weight->n_elem);
    const std::int64_t i = element.index.back();
    const auto x_at = [&x, &element](std::int64_t place) { return value_at(x, with_last(element.index, place)); };
    const std::string x_name = vector_name(input, element.index);

    WhySum squares{"i", x_name, x_name, product_terms(n, x_at, x_at)};
    const double sum = squares.total();
    const double mean = sum / static_cast<double>(n);
    const double eps = static_cast<double>(static_cast<float>(element.config().rms_norm_eps));
    const double scale = 1.0 / std::sqrt(mean + eps);
    const auto w = static_cast<double>(weight->at(static_cast<arma::uword>(i)));
    const std::string weight_name = fmt::format("weight[{}]", i);
    Why answer;
    answer.equation =
        fmt::format("{} = x[{}] / sqrt(mean(x^2) + eps) * weight[{}],  x = {}", element.name(), i, i, x_name);
    answer.steps = {
        {"sum of x^2", sum, {}, std::move(squares)},
        {"mean(x^2)", mean, {fmt::format("over {} numbers", n), fmt::format("{} 个数的平均", n)}},
        {"eps", eps, {"inside the root", "在根号里面"}},
        {"1 / sqrt(mean + eps)", scale, {"one for the whole vector", "整个向量共用一个"}},
        {fmt::format("x[{}]", i), x_at(i), {element_name(input, element.index), element_name(input, element.index)}},
        {weight_name, w, {"learned, one a place", "可学习，每个位置一个"}},
        {element.name(), x_at(i) * scale * w, {"their product", "三者之积"}}};
    answer.rounding = float_rounding(std::abs(answer.result()), static_cast<std::size_t>(n));
    return answer;
}

// cos(t * f_i) and sin(t * f_i), f_i = theta^(-2i/D): the angle is a float32 product, as the model computes it.
Why why_rope_table(const WhyElement& element) {
    const ModelConfig& config = element.config();
    const bool is_cos = element.site.point == Point::rope_cos;
    const std::int64_t t = element.recording.past() + element.at(0);
    const std::int64_t half = config.head_dim / 2;
    const std::int64_t i = element.at(1) % half;
    const double plain =
        std::pow(config.rope_theta, -2.0 * static_cast<double>(i) / static_cast<double>(config.head_dim));
    const float used = rope_frequencies(config)[static_cast<std::size_t>(i)];
    const float angle = static_cast<float>(t) * used;
    const auto factor = static_cast<double>(rope_attention_factor(config));
    const double turn = is_cos ? std::cos(static_cast<double>(angle)) : std::sin(static_cast<double>(angle));
    const char* function = is_cos ? "cos" : "sin";

    Why answer;
    answer.equation = fmt::format("{} = {}(t * f_i),  f_i = theta^(-2i/D)", element.name(), function);
    const std::int64_t past = element.recording.past();
    answer.steps = {{"t", static_cast<double>(t),
                     past == 0 ? Words{"the position", "位置"}
                               : Words{fmt::format("the position: {} cached + {}", past, element.at(0)),
                                       fmt::format("位置：缓存 {} + {}", past, element.at(0))}},
                    {"i",
                     static_cast<double>(i),
                     {fmt::format("the pair: {} mod D/2, D/2 = {}", element.at(1), half),
                      fmt::format("第几对：{} mod D/2，D/2 = {}", element.at(1), half)}},
                    {"theta^(-2i/D)",
                     plain,
                     {fmt::format("theta = {}", config.rope_theta), fmt::format("theta = {}", config.rope_theta)}}};
    const bool is_stretched = std::abs(static_cast<double>(used) - plain) > 1e-6 * plain;
    if (is_stretched) {
        answer.steps.push_back({"f_i", static_cast<double>(used), {"slowed down by YaRN", "被 YaRN 放慢"}});
    }
    answer.steps.push_back(
        {"t * f_i", static_cast<double>(angle), {"the angle, rounded to float32", "角度，舍入为 float32"}});
    answer.steps.push_back({element.name(), turn * factor, {function, function}});
    answer.rounding = float_rounding(factor);
    return answer;
}

// x'[d] = x[d] * cos[d] + rotate_half(x)[d] * sin[d]
Why why_rope(const WhyElement& element) {
    const std::int64_t s = element.at(1);
    const std::int64_t d = element.at(3);
    const std::int64_t half = element.config().head_dim / 2;
    const bool is_first = d < half;
    const std::int64_t partner = is_first ? d + half : d - half;
    const Point input = element.site.point == Point::q_rope ? Point::q_norm : Point::k_norm;
    const auto partner_index = with_last(element.index, partner);

    const double x = element.value(input, element.index);
    const double y = element.value(input, partner_index) * (is_first ? -1.0 : 1.0);
    const double cos = element.value(Point::rope_cos, {s, d});
    const double sin = element.value(Point::rope_sin, {s, d});
    const std::string x_name = element_name(element.stage(input), element.index);
    const std::string y_name = (is_first ? "-" : "") + element_name(element.stage(input), partner_index);
    Why answer;
    answer.equation = fmt::format("{} = x[{}] * cos + rotate_half(x)[{}] * sin", element.name(), d, d);
    answer.steps = {{fmt::format("x[{}]", d), x, {x_name, x_name}},
                    {fmt::format("cos[{}, {}]", s, d), cos, {"model.rope.cos", "model.rope.cos"}},
                    {"x * cos", x * cos},
                    {fmt::format("rotate_half(x)[{}]", d), y, {y_name, y_name}},
                    {fmt::format("sin[{}, {}]", s, d), sin, {"model.rope.sin", "model.rope.sin"}},
                    {"rotate_half(x) * sin", y * sin},
                    {element.name(), x * cos + y * sin, {"the two products added", "两个乘积之和"}}};
    answer.rounding = float_rounding(std::abs(x * cos) + std::abs(y * sin));
    return answer;
}

}  // namespace minimind
