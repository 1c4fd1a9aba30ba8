// Lesson 9's worksheet: RMSNorm.
#include <fmt/format.h>

#include <cmath>

#include "lessons/worksheet_09.hpp"

namespace minimind {

namespace {

Item rms_count(const Sizes& sizes, const Prose& prose) {
    return {
        "rms_count",
        {"how many RMS values one call of `input_layernorm` computes", "一次 `input_layernorm` 调用计算多少个均方根"},
        count_answer(sizes.batch.tokens()),
        {{count_answer(sizes.config.hidden_size),
          prose("{H} would be one a feature, as BatchNorm has it; RMSNorm takes the mean over the features of one "
                "token, so there is one value a token: {B} · {S}",
                "{H} 个意味着每个特征一个，那是 BatchNorm；RMSNorm 在一个 token 的特征上取平均，"
                "所以每个 token 一个：{B} · {S}")},
         {count_answer(sizes.batch.batch),
          prose("{B} would be one a row of the batch; each of the {S} tokens of a row is normalised by itself: "
                "{B} · {S}",
                "{B} 个意味着 batch 里每行一个；而每行的 {S} 个 token 各自归一化：{B} · {S}")}},
        {prose("RMSNorm looks at one vector at a time; ask how many vectors a call is given.",
               "RMSNorm 一次只看一个向量；想一想一次调用拿到多少个向量。"),
         prose("rms = sqrt(mean(x^2) + eps), the mean over the last axis of [B, S, H]: one value for each choice of "
               "b and s.",
               "rms = sqrt(mean(x^2) + eps)，mean 沿 [B, S, H] 的最后一个轴：b 和 s 每取一组值就得到一个。"),
         prose("b takes {B} values and s takes {S}.", "b 有 {B} 种取值，s 有 {S} 种。")},
        prose("The last axis is averaged away and [{B}, {S}] is left: {B} · {S} = {BS} values, one a token. What "
              "other tokens hold does not matter.",
              "最后一个轴被平均掉，剩下 [{B}, {S}]：{B} · {S} = {BS} 个，每个 token 一个，与别的 token 无关。")};
}

Item norm_weight(const Sizes& sizes, const Prose& prose) {
    const std::int64_t H = sizes.config.hidden_size;
    return {"norm_weight",
            {"how many learnable numbers `input_layernorm` has", "`input_layernorm` 有多少个可学习参数"},
            count_answer(H),
            {{count_answer(2 * H), prose("that is LayerNorm, with a scale and a bias of {H} each; RMSNorm has no bias",
                                         "这是 LayerNorm：scale 和 bias 各 {H} 个；RMSNorm 没有 bias")},
             {count_answer(sizes.batch.tokens()),
              prose("that is one a token, as if the scale belonged to the input; what is learned cannot depend on how "
                    "long the input is: one number for each of the {H} features",
                    "这是每个 token 一个，好像缩放系数属于输入；可学习参数不可能随输入长度变化："
                    "{H} 个特征各一个")}},
            {prose("After the division every feature is multiplied by a number of its own, the same for all tokens.",
                   "除以均方根之后，每个特征再乘以自己的一个系数，所有 token 共用。"),
             prose("y = x / rms · weight, where weight is as long as one vector x; nothing is added.",
                   "y = x / rms · weight，weight 与一个向量 x 一样长；不再加任何东西。"),
             prose("One vector of the residual stream has {H} numbers.", "残差流里一个向量有 {H} 个数。")},
            prose("weight [H] = [{H}]: {H} numbers, all 1 in a fresh model. LayerNorm would have {H} biases, too.",
                  "weight [H] = [{H}]：{H} 个数，刚初始化时都是 1。LayerNorm 还要再加 {H} 个 bias。")};
}

Item qk_weight(const Sizes& sizes, const Prose& prose) {
    const ModelConfig& config = sizes.config;
    return {
        "qk_weight",
        {"how many learnable numbers `q_norm` has", "`q_norm` 有多少个可学习参数"},
        count_answer(config.head_dim),
        {{count_answer(config.hidden_size),
          prose("{H} is a hidden state's width; q_norm comes after the split into heads and normalises each of the {h} "
                "heads over its own {D} numbers",
                "{H} 是 hidden state 的宽度；q_norm 在拆分多头之后，对 {h} 个头各自的 {D} 个数做归一化")},
         {count_answer(config.q_size()),
          prose("{hD} is the width of all {h} heads together; q_norm works on one head at a time, and all heads share "
                "its {D} weights",
                "{hD} 是 {h} 个头合起来的宽度；q_norm 一次处理一个头，所有头共用这 {D} 个权重")},
         {count_answer(config.num_attention_heads),
          prose("{h} would be one scale a head; the weight scales features, {D} of them, and all heads share it",
                "{h} 个意味着每个头一个系数；weight 缩放的是特征，共 {D} 个，所有头共用")}},
        {prose("It is an RMSNorm like the others, but what it normalises is not a whole hidden state.",
               "它和别的 RMSNorm 一样，只是它归一化的不是整个 hidden state。"),
         prose("q has been seen as [B, S, heads, head_dim] before q_norm; the mean and the weight run over the last "
               "axis.",
               "进入 q_norm 之前，q 已经看成 [B, S, heads, head_dim]；平均和 weight 都沿最后一个轴。"),
         prose("{hD} numbers of q are {h} heads of {D}.", "q 的 {hD} 个数是 {h} 个头，每个头 {D} 个。")},
        prose("weight [D] = [{D}]: one number for each entry of a head, shared by all {h} heads and all tokens.",
              "weight [D] = [{D}]：一个头里每个分量一个，{h} 个头、所有 token 共用。")};
}

Item rms_value(const Sizes& sizes, const Prose& sizes_prose, const Lesson9Run& run) {
    const double eps = sizes.config.rms_norm_eps;
    const double r = run.input_rms;
    Prose prose = sizes_prose;
    prose.set("r", fmt::format("{:.4f}", r));
    prose.set("r6", fmt::format("{:.6f}", r));
    prose.set("eps", fmt::format("{:g}", eps));
    prose.set("r2", fmt::format("{:.4g}", r * r));
    prose.set("sum", fmt::format("{:.4g}", r * r + eps));
    prose.set("root", fmt::format("{:.6f}", std::sqrt(r * r + eps)));
    prose.set("one", fmt::format("{:.7f}", 1.0 / std::sqrt(1.0 + eps)));
    prose.set("out", fmt::format("{:.4f}", run.output_rms));
    return {
        "rms_value",
        prose("vectors of RMS r = {r} enter `input_layernorm` of block 0, its weight is 1, eps is {eps}: the RMS of "
              "what leaves it, to 4 decimals",
              "进入 block 0 的 `input_layernorm` 的向量 RMS 为 r = {r}，weight 为 1，eps 为 {eps}："
              "输出的 RMS 是多少（4 位小数）"),
        real_answer(run.output_rms, 3e-4),
        {{real_answer(1.0, 1e-4),
          prose("that takes eps for a guard against zero only; it is added to the mean square of every vector, and "
                "beside r^2 = {r2} an eps of {eps} shows in the third decimal",
                "这是以为 eps 只用来防止除零；它加在每个向量的均方值上，与 r^2 = {r2} 相比，"
                "{eps} 的 eps 会在第三位小数上显出来")},
         {real_answer(r, 5e-4), prose("that is the RMS of the input; a norm divides its scale away",
                                      "这是输入的 RMS；归一化正是把尺度除掉")}},
        {prose("The divisor is not quite the vector's own RMS: a small number is added first, under the root.",
               "除数并不正好是向量自己的 RMS：开方之前先加了一个很小的数。"),
         prose("RMS out = r / sqrt(r^2 + eps), a little less than 1; how much less depends on r.",
               "输出的 RMS = r / sqrt(r^2 + eps)，比 1 略小；小多少取决于 r。"),
         prose("r^2 = {r2}, with eps {sum}, its root {root}: divide {r6} by that.",
               "r^2 = {r2}，加上 eps 得 {sum}，开方得 {root}：用 {r6} 除以它。")},
        prose("r / sqrt(r^2 + eps) = {r6} / sqrt({sum}) = {out}. `minimind trace_block_shapes` prints it for the "
              "lesson's sizes: \"after input_layernorm\". With r = 1 it would be {one}.",
              "r / sqrt(r^2 + eps) = {r6} / sqrt({sum}) = {out}。`minimind trace_block_shapes` 会为本课的尺寸打印它："
              "“after input_layernorm” 一行。若 r = 1，结果是 {one}。")};
}

Item scale10(const Prose& prose, const Lesson9Run& run) {
    return {
        "scale10",
        {"x becomes ten times as large (its RMS is far above eps): by what is the output of RMSNorm multiplied",
         "x 放大 10 倍（RMS 远大于 eps）：RMSNorm 的输出变为原来的几倍"},
        real_answer(run.scale_of_ten, 0.01),
        {{real_answer(10.0, 0.1),
          prose("that holds for a linear layer; a norm divides by the RMS, which has become ten "
                "times as large, too",
                "线性层才是这样；归一化要除以 RMS，而 RMS 也变成了 10 倍")},
         {real_answer(0.1, 0.01),
          prose("that divides twice: x / rms is divided by a ten times larger rms, but x itself "
                "is ten times as large, too",
                "这等于除了两次：rms 变成 10 倍没错，可被除的 x 也变成了 10 倍")}},
        {prose("A norm is there so that what follows sees the same scale, whatever comes in.",
               "归一化的用处，就是不管输入多大，后面看到的尺度都一样。"),
         prose("y = x / rms(x) · weight, and rms(c x) = c rms(x) for c > 0, as long as eps does not matter.",
               "y = x / rms(x) · weight；只要 eps 可以忽略，c > 0 时 rms(c x) = c rms(x)。"),
         prose("10 x / (10 rms(x)): the two tens cancel.", "10 x / (10 rms(x))：两个 10 约掉了。")},
        prose("1: numerator and divisor grow alike. A block therefore sees only the direction of the stream's vectors, "
              "not their length.",
              "1 倍：分子和除数一起变大。所以子层只看得到残差流向量的方向，看不到长度。")};
}

}  // namespace

std::vector<Item> norm_items(const Sizes& sizes, const Prose& prose, const Lesson9Run& run) {
    return {rms_count(sizes, prose), norm_weight(sizes, prose), qk_weight(sizes, prose), rms_value(sizes, prose, run),
            scale10(prose, run)};
}

}  // namespace minimind
