// What is computed number by number: activation, gate, residual additions.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// A sum or product of the same place in two stages.
std::vector<WhyStep> two_operands(const WhyElement& element, Site a, Site b) {
    return {{element_name(a, element.index), value_at(element.recording.view(a), element.index)},
            {element_name(b, element.index), value_at(element.recording.view(b), element.index)}};
}

}  // namespace

ActivationFactor activation_factor(const std::string& hidden_act, double x) {
    if (hidden_act == "silu") return {"sigmoid(x)", 1.0 / (1.0 + std::exp(-x))};
    if (hidden_act == "gelu") return {"(1 + erf(x / sqrt(2))) / 2", 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2))};
    if (hidden_act == "relu") return {"x > 0", x > 0.0 ? 1.0 : 0.0};
    const double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return {"(1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) / 2", 0.5 * (1.0 + std::tanh(inner))};
}

Why why_activation(const WhyElement& element) {
    const double x = element.value(Point::gate_proj, element.index);
    const ActivationFactor factor = activation_factor(element.config().hidden_act, x);
    Why answer;
    answer.equation = fmt::format("{} = {}(x),  x = {}", element.name(), element.config().hidden_act,
                                  element_name(element.stage(Point::gate_proj), element.index));
    answer.steps = {{"x", x, {"the gate", "gate 的值"}},
                    {factor.name, factor.value},
                    {element.name(), factor.value == 0.0 ? 0.0 : x * factor.value, {"x times that", "x 乘以它"}}};
    answer.rounding = float_rounding(std::abs(x));  // 1 + erf loses digits where it is small beside 1
    return answer;
}

Why why_gated(const WhyElement& element) {
    Why answer;
    answer.steps = two_operands(element, element.stage(Point::act_fn), element.stage(Point::up_proj));
    answer.equation = fmt::format("{} = {} * {}", element.name(), answer.steps[0].name, answer.steps[1].name);
    answer.steps.push_back(
        {element.name(), answer.steps[0].value * answer.steps[1].value, {"their product", "两者之积"}});
    answer.rounding = float_rounding(std::abs(answer.result()));
    return answer;
}

Why why_residual(const WhyElement& element) {
    const bool is_mid = element.site.point == Point::resid_mid;
    const Site stream = element.stage(is_mid ? Point::resid_pre : Point::resid_mid);
    const Site increment = element.stage(is_mid ? Point::self_attn : Point::mlp);
    Why answer;
    answer.steps = two_operands(element, stream, increment);
    answer.steps[0].note = {"the stream", "残差流"};
    answer.steps[1].note = {"what is written to it", "写入的增量"};
    answer.equation = fmt::format("{} = {} + {}", element.name(), answer.steps[0].name, answer.steps[1].name);
    answer.steps.push_back({element.name(), answer.steps[0].value + answer.steps[1].value, {"their sum", "两者之和"}});
    answer.rounding = float_rounding(std::abs(answer.steps[0].value) + std::abs(answer.steps[1].value));
    return answer;
}

}  // namespace minimind
