#include "compare_activations/explanations.hpp"

namespace minimind {

const Explanations& explain_activations() {
    static const Explanations texts = {
        {"Values and Slopes",
         {"silu(x) is x times sigmoid(x): far below 0 the sigmoid shuts x out, far above 0 it lets x through, and in "
          "between it does so by degrees. relu has a step in place of the sigmoid. The slope is what the backward pass "
          "multiplies by: relu's is 0 for every x below 0, so nothing is learned there; silu's is 0.5 at x = 0.",
          "silu(x) 就是 x 乘以 sigmoid(x)：x 远小于 0 时几乎被 sigmoid 关死，远大于 0 时原样通过，中间逐渐过渡。relu 只"
          "是把 sigmoid 换成了阶跃。反向传播要乘的正是斜率：x 小于 0 时 relu 的斜率恒为 0，这里学不到东西；silu 在 x = "
          "0 处的斜率是 0.5。"}},
        {"Extremes",
         {"Found by a search on [-10, 10]; a dash where the value is taken at more than one place. silu falls to "
          "-0.278465 and rises again: it is not monotonic, not positive, and without an upper bound no gate between 0 "
          "and 1. That is the range of sigmoid, which is only a factor of it. Its slope runs from -0.0998 to 1.0998.",
          "在 [-10, 10] 上搜索得到；同一个值在多处取到时显示 -。silu 先降到 -0.278465 再回升：不单调，不恒为正，上方也"
          "无界，所以不是取值在 0 到 1 之间的门。值域 (0, 1) 属于 sigmoid，而 sigmoid 只是 silu 的一个因子。silu 的斜率"
          "在 -0.0998 与 1.0998 之间。"}},
        {"Curves",
         {"Above 0 all of them approach the line y = x, far below 0 they approach 0; what sets them apart is the "
          "valley just below 0. --from -5 --to 0 enlarges it.",
          "x 很大时它们都趋近直线 y = x，x 很小时都趋近 0，差别就在 0 左侧的那个谷。用 --from -5 --to 0 可以放大看。"}},
        {"Curves of the Slopes",
         {"relu's slope is a step. The others climb without a jump and go a little beyond 0 and 1 on the way: below 0 "
          "where the curve still falls, above 1 where it catches up with y = x.",
          "relu 的斜率是阶跃；其余几个没有跳变地上升，途中略微越过 0 和 1：曲线还在下降的地方低于 0，追赶直线 y = x 的"
          "地方高于 1。"}},
        {"Formula against Engine",
         {"The engine computes act(x) in float32 with its own exp, the table above is in double: only rounding is "
          "between them. The formula of the slope is held against (act(x + h) - act(x - h)) / 2h with h = 1e-5. At its "
          "kink relu has no slope: the quotient gives 0.5 there, the formula 0, as PyTorch does.",
          "引擎用 float32 和自己的 exp 计算 act(x)，上面的表用 double，两者只差舍入误差。斜率公式与 (act(x + h) - "
          "act(x - h)) / 2h（h = 1e-5）对照。relu 在折点处没有导数：差商给出 0.5，公式按 PyTorch 的约定取 0。"}},
    };
    return texts;
}

}  // namespace minimind
