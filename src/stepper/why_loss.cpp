// The loss: labels moved by one, cross entropy, mean.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// The axes [B, S-1] of the shifted labels.
std::int64_t shifted_label(const Recording& recording, std::int64_t b, std::int64_t s) {
    return recording.input().labels->at(b, recording.past() + s + 1);
}

}  // namespace

Why why_shift_labels(const WhyElement& element) {
    const std::int64_t position = element.recording.past() + element.at(1) + 1;
    const std::int64_t label = shifted_label(element.recording, element.at(0), element.at(1));
    Why answer;
    answer.equation = fmt::format("{} = labels[{}, {}]", element.name(), element.at(0), position);
    answer.steps = {{fmt::format("labels[{}, {}]", element.at(0), position),
                     static_cast<double>(label),
                     {"the next token is what a position has to predict", "每个位置要预测的是下一个 token"}}};
    return answer;
}

// -log softmax(x)[label] = max + log(sum of exp(x - max)) - x[label]
Why why_cross_entropy(const WhyElement& element) {
    const std::int64_t b = element.at(0);
    const std::int64_t s = element.at(1);
    const std::int64_t label = shifted_label(element.recording, b, s);
    Why answer;
    if (label == ignore_index) {
        answer.equation = fmt::format("{} = 0", element.name());
        answer.steps = {{"label", -100.0, {"this position does not count", "这个位置不计入"}}, {element.name(), 0.0}};
        return answer;
    }
    const TensorView& logits = element.recording.view({Point::shift_logits});
    double max = -std::numeric_limits<double>::infinity();
    for (std::int64_t v = 0; v < logits.axis(2).size; ++v) max = std::max(max, value_at(logits, {b, s, v}));
    WhySum exponentials{"v", fmt::format("exp(logits[{}, {}, v] - max)", b, s), "",
                        product_terms(
                            logits.axis(2).size,
                            [&](std::int64_t v) {
                                return std::exp(value_at(logits, {b, s, v}) - max);
                            },
                            [](std::int64_t) { return 1.0; })};
    const double sum = exponentials.total();
    const double logit = value_at(logits, {b, s, label});
    const double log_sum = max + std::log(sum);
    answer.equation = fmt::format("{} = log(sum of exp(logits)) - logits[{}, {}, {}]", element.name(), b, s, label);
    answer.steps = {{"label", static_cast<double>(label), {"the token that comes next", "实际的下一个 token"}},
                    {"max", max, {"the largest logit", "最大的 logit"}},
                    {"sum of exp(x - max)", sum, {}, std::move(exponentials)},
                    {"max + log(sum)", log_sum, {"log-sum-exp", "log-sum-exp"}},
                    {fmt::format("logits[{}, {}, {}]", b, s, label), logit, {"the label's own", "label 自己的 logit"}},
                    {element.name(),
                     log_sum - logit,
                     {fmt::format("= -log p, p = {:.4g}", std::exp(logit - log_sum)),
                      fmt::format("= -log p，p = {:.4g}", std::exp(logit - log_sum))}}};
    answer.rounding = float_rounding(1.0 + std::abs(max) + std::abs(logit) + std::abs(log_sum));
    return answer;
}

Why why_mean_loss(const WhyElement& element) {
    const TensorView& losses = element.recording.view({Point::per_token_loss});
    const std::int64_t shifted = losses.axis(1).size;
    WhySum sum{"n", "loss.per_token, n = b*(S-1) + s", "", {}};
    for (std::int64_t n = 0; n < losses.count(); ++n) {
        const std::int64_t b = n / shifted;
        const std::int64_t s = n % shifted;
        if (shifted_label(element.recording, b, s) == ignore_index) continue;
        sum.terms.push_back({n, value_at(losses, {b, s}), 1.0});
    }
    const auto counted = static_cast<double>(sum.terms.size());
    const double total = sum.total();
    Why answer;
    answer.equation = "loss = sum of loss.per_token / N";
    answer.steps = {
        {"sum", total, {"where the label is not -100", "只计 label 不是 -100 的位置"}, std::move(sum)},
        {"N", counted, {"how many labels count", "计入的 label 个数"}},
        {"loss", counted == 0.0 ? std::numeric_limits<double>::quiet_NaN() : total / counted,
         counted == 0.0 ? Words{"0 / 0: no label counts", "0 / 0：没有 label 计入"} : Words{"the mean", "平均"}}};
    answer.rounding = float_rounding(std::abs(answer.result()));
    return answer;
}

}  // namespace minimind
