// The causal mask, and softmax over keys or experts.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// The vector that a softmax runs over.
struct SoftmaxRow {
    std::string axis;  // "t" or "e"
    std::string name;  // "masked_scores[0, 1, 3, t]"
    std::vector<double> x;
};

SoftmaxRow softmax_row_of(const WhyElement& element) {
    const bool is_attention = element.site.point == Point::attn_weights;
    const Site input = element.stage(is_attention ? Point::masked_scores : Point::router_logits);
    const TensorView& scores = element.recording.view(input);
    const std::string axis = is_attention ? "t" : "e";
    std::vector<std::int64_t> index = element.index;
    SoftmaxRow row{axis, "", {}};
    std::vector<std::string> places;
    for (const std::int64_t place : index) places.push_back(std::to_string(place));
    places.back() = axis;
    row.name = indexed(short_name(input), places);
    for (std::int64_t i = 0; i < scores.axis(scores.rank() - 1).size; ++i) {
        index.back() = i;
        row.x.push_back(value_at(scores, index));
    }
    return row;
}

}  // namespace

// softmax(x)[i] = exp(x[i] - max) / sum over t of exp(x[t] - max)
Why why_softmax(const WhyElement& element) {
    const SoftmaxRow row = softmax_row_of(element);
    const auto i = static_cast<std::size_t>(element.index.back());
    double max = -std::numeric_limits<double>::infinity();
    for (const double x : row.x) max = x > max ? x : max;
    WhySum exponentials{row.axis, fmt::format("exp({} - max)", row.name), "", {}};
    double distance = 0.0;  // of the exponents from 0, weighted: each is rounded in float32 before exp
    for (std::size_t t = 0; t < row.x.size(); ++t) {
        const double e = std::exp(row.x[t] - max);
        exponentials.terms.push_back({static_cast<std::int64_t>(t), e, 1.0});
        if (e > 0.0) distance += e * (max - row.x[t]);
    }
    const double numerator = exponentials.terms[i].a;
    const double denominator = exponentials.total();
    const double own_distance = std::isinf(row.x[i]) ? 0.0 : max - row.x[i];

    Why answer;
    answer.equation = fmt::format("{} = exp(x[{}] - max) / sum of exp(x - max),  x = {}", element.name(),
                                  element.index.back(), row.name);
    answer.steps = {{fmt::format("x[{}]", element.index.back()), row.x[i]},
                    {"max", max, {"subtracted so that no exp overflows", "先减去它，exp 才不会溢出"}},
                    {"exp(x - max)", numerator, {"the numerator", "分子"}},
                    {"sum of exp(x - max)", denominator, {"the denominator", "分母"}, std::move(exponentials)},
                    {element.name(), numerator / denominator, {"their quotient", "两者之商"}}};
    answer.rounding =
        float_rounding(std::abs(answer.result()) * (1.0 + own_distance + distance / denominator), row.x.size());
    return answer;
}

// x where the key is not after the query, else -inf; + (1 - m) * -1e9 where a mask m is given.
Why why_mask(const WhyElement& element) {
    const std::int64_t past = element.recording.past();
    const std::int64_t query = past + element.at(2);
    const std::int64_t key = element.at(3);
    const double score = element.value(Point::scores, element.index);
    const bool is_hidden = key > query;
    Why answer;
    answer.equation = fmt::format("{} = scores[...] if key <= query, else -inf", element.name());
    answer.steps = {{element_name(element.stage(Point::scores), element.index), score},
                    {"query", static_cast<double>(query),
                     past == 0 ? Words{"its position", "它的位置"}
                               : Words{fmt::format("its position: {} cached + {}", past, element.at(2)),
                                       fmt::format("它的位置：缓存 {} + {}", past, element.at(2))}},
                    {"key", static_cast<double>(key),
                     is_hidden ? Words{"after the query: hidden", "在 query 之后：被遮住"}
                               : Words{"not after the query: seen", "不在 query 之后：看得到"}}};
    double value = is_hidden ? -std::numeric_limits<double>::infinity() : score;
    const AttentionMask& mask = element.recording.input().attention_mask;
    if (!mask.is_empty()) {
        const auto keep =
            static_cast<double>(mask.at(static_cast<arma::uword>(key), static_cast<arma::uword>(element.at(0))));
        const double padding = (1.0 - keep) * -1e9;
        answer.steps.push_back({"(1 - mask) * -1e9", padding,
                                keep == 0.0 ? Words{"padding; float32 keeps no digit of the score beside it",
                                                    "是 padding；float32 加上它之后，分数的数位全部丢失"}
                                            : Words{"no padding", "不是 padding"}});
        value += padding;
        answer.rounding = padding == 0.0 || is_hidden ? 0.0 : float_rounding(std::abs(value) + std::abs(score));
    }
    answer.steps.push_back({element.name(), value});
    return answer;
}

}  // namespace minimind
