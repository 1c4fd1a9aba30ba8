// The worksheet of lesson 22: SwiGLU, its three matrices, its width and its activation.
#include <fmt/format.h>

#include <numbers>

#include "lessons/prose.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

namespace {

Item gate_shape(const ModelConfig& config, const Prose& prose) {
    const std::int64_t hidden = config.hidden_size;
    const std::int64_t inner = config.intermediate_size;
    return {
        "gate_shape",
        {"shape of `mlp.gate_proj.weight`", "`mlp.gate_proj.weight` 的 shape"},
        shape_answer({inner, hidden}),
        {{shape_answer({hidden, inner}), prose("that is x · W storage (or down_proj); nn.Linear keeps [out, in]",
                                               "这是按 x · W 存放（或者是 down_proj）；nn.Linear 存的是 [out, in]")},
         {shape_answer({2 * inner, hidden}),
          prose("some models store gate and up in one matrix; here they are two of {I} rows each",
                "有的模型把 gate 和 up 存成一个矩阵；这里是两个，各 {I} 行")}},
        {prose("A linear layer's weight has a row for each number that it puts out.",
               "线性层的权重，每个输出的数对应一行。"),
         prose("[out, in] = [I, H]", "[out, in] = [I, H]"), prose("out {I}, in {H}", "输出 {I}，输入 {H}")},
        prose("gate_proj and up_proj map {H} to {I}: ({I}, {H}). down_proj leads back: ({H}, {I}).",
              "gate_proj 和 up_proj 把 {H} 映到 {I}：({I}, {H})；down_proj 映回来：({H}, {I})。")};
}

Item ffn_params(const ModelConfig& config, Prose prose) {
    const std::int64_t hidden = config.hidden_size;
    const std::int64_t inner = config.intermediate_size;
    prose.set("right", 3 * hidden * inner);
    return {"ffn_params",
            {"parameters of one dense `mlp`", "一个 dense `mlp` 的参数量"},
            count_answer(3 * hidden * inner),
            {{count_answer(2 * hidden * inner), prose("that is the FFN of 2017, with two matrices; SwiGLU has three",
                                                      "这是 2017 年的 FFN，两个矩阵；SwiGLU 有三个")},
             {count_answer(3 * hidden * inner + 2 * inner + hidden),
              prose("that counts biases; MiniMind's linear layers have none",
                    "这把 bias 也算进去了；MiniMind 的线性层都没有")}},
            {prose("Three matrices, all with the same number of entries.", "三个矩阵，元素个数都一样。"),
             prose("3 · H · I", "3 · H · I"), prose("3 · {H} · {I}", "3 · {H} · {I}")},
            prose("gate, up and down: 3 · {H} · {I} = {right}.", "gate、up、down：3 · {H} · {I} = {right}。")};
}

Item parity_width(const ModelConfig& config, Prose prose) {
    const auto hidden = static_cast<double>(config.hidden_size);
    const double right = 8.0 * hidden / 3.0;
    prose.set("right", fmt::format("{:.2f}", right));
    prose.set("pi", fmt::format("{:.2f}", std::numbers::pi * hidden));
    std::vector<Mistake> mistakes = {
        {real_answer(4.0 * hidden, 0.5),
         prose("at that width three matrices hold half as much again as the two of 2017",
               "在这个宽度上，三个矩阵比 2017 年的两个多出一半")},
        {real_answer(std::numbers::pi * hidden, 1.0),
         prose("pi · H = {pi} is MiniMind's choice before rounding; it is wider than parity",
               "π · H = {pi} 是 MiniMind 取整前的选择；它比参数相等的宽度更宽")}};
    if (config.intermediate_size != 4 * config.hidden_size) {
        mistakes.push_back({real_answer(static_cast<double>(config.intermediate_size), 0.5),
                            prose("{I} is the width that this config has; the question is about equal parameters",
                                  "{I} 是这个配置实际的宽度；问的是参数相等时的宽度")});
    }
    return {"parity_width",
            {"inner width at which SwiGLU has as many weights as the FFN of 2017 (two matrices, 4H wide)",
             "SwiGLU 的中间宽度取多少时，权重数与 2017 年的 FFN（两个矩阵，宽 4H）相等"},
            real_answer(right, 0.5),
            mistakes,
            {prose("Write down both counts and set them equal.", "写出两边的参数量，令其相等。"),
             prose("3 · H · I = 2 · H · 4H", "3 · H · I = 2 · H · 4H"), prose("I = 8 · {H} / 3", "I = 8 · {H} / 3")},
            prose("I = 8/3 · {H} = {right}. MiniMind takes pi in place of 8/3 and rounds up to a multiple of 64.",
                  "I = 8/3 · {H} = {right}。MiniMind 用 π 代替 8/3，再向上取到 64 的倍数。")};
}

Item silu_min(const Prose& prose) {
    return {"silu_min",
            {"the least value that SiLU takes", "SiLU 的最小值"},
            real_answer(-0.278465, 2e-3),
            {{real_answer(0.0, 1e-3), prose("that is ReLU's (and the lower bound of the sigmoid); SiLU dips below 0",
                                            "这是 ReLU 的最小值（也是 sigmoid 的下界）；SiLU 会低于 0")},
             {real_answer(-1.278465, 2e-3),
              prose("that is where the minimum lies, not what it is", "这是最小值所在的位置，不是最小值本身")},
             {real_answer(-1.0, 1e-3), prose("that is a bound of tanh or ELU", "这是 tanh 或 ELU 的下界")}},
            {prose("SiLU(x) = x · sigmoid(x): below 0 one factor grows while the other fades.",
                   "SiLU(x) = x · sigmoid(x)：x 小于 0 时，一个因子变大，另一个因子趋于 0。"),
             prose("the slope is sigmoid(x) · (1 + x · (1 - sigmoid(x))); it is 0 near x = -1.28",
                   "导数是 sigmoid(x) · (1 + x · (1 - sigmoid(x)))，在 x = -1.28 附近为 0"),
             prose("sigmoid(-1.278) = 0.2178, times -1.278", "sigmoid(-1.278) = 0.2178，再乘 -1.278")},
            prose("-1.278465 · 0.217812 = -0.278465. Below that point SiLU climbs back towards 0: it is not monotonic.",
                  "-1.278465 · 0.217812 = -0.278465。再往左 SiLU 又回升到 0 附近：它不单调。")};
}

Item silu_slope(const Prose& prose) {
    return {"silu_slope",
            {"slope of SiLU at x = 0", "SiLU 在 x = 0 处的斜率"},
            real_answer(0.5, 1e-3),
            {{real_answer(1.0, 1e-3), prose("that is its slope far to the right, where SiLU(x) is nearly x",
                                            "这是 x 很大时的斜率，那里 SiLU(x) 约等于 x")},
             {real_answer(0.25, 1e-3), prose("that is the slope of the sigmoid alone", "这是 sigmoid 自己的斜率")},
             {real_answer(0.0, 1e-3), prose("that is ReLU's on its left side; SiLU has no kink at 0",
                                            "这是 ReLU 左侧的斜率；SiLU 在 0 处没有折点")}},
            {prose("Near 0 the sigmoid is nearly constant.", "在 0 附近，sigmoid 几乎是常数。"),
             prose("slope = sigmoid(x) + x · sigmoid'(x)", "斜率 = sigmoid(x) + x · sigmoid'(x)"),
             prose("at x = 0 the second term is 0, and sigmoid(0) = 1/2", "x = 0 时第二项为 0，而 sigmoid(0) = 1/2")},
            prose("sigmoid(0) + 0 · 1/4 = 0.5.", "sigmoid(0) + 0 · 1/4 = 0.5。")};
}

Item ffn_ratio(const ModelConfig& config, Prose prose) {
    const auto hidden = static_cast<double>(config.hidden_size);
    const auto inner = static_cast<double>(config.intermediate_size);
    const auto q = static_cast<double>(config.q_size());
    const auto kv = static_cast<double>(config.kv_size());
    const double ffn = 3.0 * hidden * inner;
    const double right = ffn / (2.0 * hidden * q + 2.0 * hidden * kv);
    prose.set("right", fmt::format("{:.3f}", right));
    return {"ffn_ratio",
            {"weights of one dense `mlp` divided by the weights of one block's four attention projections",
             "一个 dense `mlp` 的权重数，除以同一个 block 里四个注意力投影的权重数"},
            real_answer(right, 0.005 * right),
            {{real_answer(inner / hidden, 0.005 * inner / hidden),
              prose("I/H is the ratio only where the projections hold 3 · H^2 numbers",
                    "只有投影一共是 3 · H^2 个数时，比值才等于 I/H")},
             {real_answer(ffn / (4.0 * hidden * q), 0.005 * ffn / (4.0 * hidden * q)),
              prose("that takes k_proj and v_proj for as large as q_proj; they have {kD} rows, not {hD}",
                    "这是把 k_proj、v_proj 当成和 q_proj 一样大；它们只有 {kD} 行，不是 {hD} 行")}},
            {prose("Count both sides for this config; the famous 3.17 belongs to another one.",
                   "按这个配置把两边都数一遍；流传的 3.17 属于另一个配置。"),
             prose("3HI / (2H · hD + 2H · kD)", "3HI / (2H · hD + 2H · kD)"),
             prose("3 · {I} / (2 · {hD} + 2 · {kD})", "3 · {I} / (2 · {hD} + 2 · {kD})")},
            prose("3 · {I} / (2 · {hD} + 2 · {kD}) = {right}; H cancels.",
                  "3 · {I} / (2 · {hD} + 2 · {kD}) = {right}；H 约掉了。")};
}

Item activation_params(const ModelConfig& config, const Prose& prose) {
    return {
        "activation_params",
        {"how many learnable numbers `act_fn` has", "`act_fn` 有多少个可学习参数"},
        count_answer(0),
        {{count_answer(config.intermediate_size),
          prose("one a channel would be a learned activation; SiLU is a fixed function, the same for all {I} values",
                "每个通道一个，那是可学习的激活函数；SiLU 是固定的函数，对 {I} 个数一视同仁")},
         {count_answer(config.hidden_size * config.intermediate_size),
          prose("that is gate_proj, whose output goes into the activation",
                "这是 gate_proj，激活函数作用在它的输出上")},
         {count_answer(1), prose("Swish with a learned beta has one; SiLU is Swish with beta fixed at 1",
                                 "带可学习 β 的 Swish 才有一个；SiLU 是 β 固定为 1 的 Swish")}},
        {prose("Is there anything in x · sigmoid(x) that could be learned", "x · sigmoid(x) 里有什么可以学习的吗"),
         prose("x / (1 + exp(-x)): the only letter is x", "x / (1 + exp(-x))：里面只有 x 一个字母"),
         prose("all that is learned is in the three matrices around it", "可学习的都在它周围的三个矩阵里")},
        prose("0. What decides whether a channel opens is gate_proj; the activation only says how.",
              "0。某个通道开不开由 gate_proj 决定，激活函数只规定怎么开。")};
}

}  // namespace

std::vector<Item> worksheet_22(const Sizes& sizes) {
    const ModelConfig& config = sizes.config;
    const Prose prose(sizes);
    return {gate_shape(config, prose), ffn_params(config, prose),        parity_width(config, prose), silu_min(prose),
            silu_slope(prose),         activation_params(config, prose), ffn_ratio(config, prose)};
}

}  // namespace minimind
