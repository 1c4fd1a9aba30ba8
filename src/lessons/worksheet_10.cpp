// Worksheet of lesson 10: which logits meet which label, and which labels count.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lessons/prose.hpp"

namespace minimind {

namespace {

Item meets(const Prose& prose) {
    return {
        "meets",
        prose("position of the label that the logits at position 2 are scored against",
              "位置 2 的 logits 与哪个位置的 label 比较"),
        count_answer(3),
        {{count_answer(2), prose("that is the id which the model has just read: it would learn to repeat",
                                 "那是模型刚刚读到的 id：这样学会的只是照抄")},
         {count_answer(1), prose("that goes backwards: position 1 was read before", "方向反了：位置 1 早就读过了")}},
        {{prose("A language model says what comes next.", "语言模型预测的是下一个 token。"),
          prose("logits[t] meets labels[t + 1]", "logits[t] 对 labels[t + 1]"), prose("2 + 1", "2 + 1")}},
        prose("logits[..., :-1, :] keeps its numbers, labels[..., 1:] begins at 1: entry 2 of both is logits[2] and "
              "labels[3].",
              "logits[..., :-1, :] 的编号不变，labels[..., 1:] 从 1 开始：两者的第 2 项分别是 logits[2] 和 "
              "labels[3]。")};
}

Item shift_logits(const Sizes& sizes, Prose prose) {
    const auto [B, S] = sizes.batch;
    const std::int64_t V = sizes.config.vocab_size;
    prose.set("right", shape_text({B, S - 1, V}));
    prose.set("last", S - 1);
    return {"shift_logits",
            prose("shape of the logits that enter the cross entropy (`shift_logits`, before they are flattened)",
                  "进入交叉熵的 logits（`shift_logits`，展平之前）的 shape"),
            shape_answer({B, S - 1, V}),
            {{shape_answer({B, S, V}), prose("the last position has no label after it: its logits are not scored",
                                             "最后一个位置后面没有 label，它的 logits 不参与计算")},
             {shape_answer({B, S, V - 1}), prose("that cuts the vocabulary; [..., :-1, :] cuts the last position",
                                                 "这切掉的是词表里的一项；[..., :-1, :] 切的是最后一个位置")},
             {shape_answer({B - 1, S, V}), prose("that drops a row of the batch; rows never meet each other",
                                                 "这少了 batch 里的一行；各行之间互不相干")}},
            {{prose("{S} tokens have {last} neighbours to the right.", "{S} 个 token 之间有 {last} 对相邻关系。"),
              prose("logits[..., :-1, :]: (B, S - 1, V)", "logits[..., :-1, :]：(B, S - 1, V)"),
              prose("({B}, {S} - 1, V) = {right}", "({B}, {S} - 1, V) = {right}")}},
            prose("Of the logits (B, S, V) the slice drops position {last}: {right}.",
                  "logits 是 (B, S, V)，切片去掉位置 {last}：{right}。")};
}

Item scored(const Sizes& sizes, Prose prose) {
    const auto [B, S] = sizes.batch;
    prose.set("right", B * (S - 1));
    return {
        "scored",
        prose("N, the positions that the mean is taken over, if no label is -100",
              "没有任何 label 是 -100 时，取平均的位置数 N"),
        count_answer(B * (S - 1)),
        {{count_answer(B * S), prose("the last logits of each row have no label, the first label no logits",
                                     "每行最后一个 logits 没有 label 可比，第一个 label 没有 logits 来预测")},
         {count_answer(S - 1), prose("that is one row of the batch", "这只是 batch 里的一行")},
         {count_answer(B * (S - 2)), prose("one pair a row is lost to the shift, not two: {S} tokens, one pair fewer",
                                           "错位在每行只损失一对，不是两对：{S} 个 token，少一对")}},
        {{prose("Every row loses one position to the shift.", "每行因错位少一个位置。"),
          prose("B * (S - 1)", "B · (S - 1)"), prose("{B} * ({S} - 1) = {right}", "{B} * ({S} - 1) = {right}")}},
        prose("{B} * ({S} - 1) = {right}.", "{B} * ({S} - 1) = {right}。")};
}

Item padded(const Sizes& sizes, Prose prose) {
    const auto [B, S] = sizes.batch;
    prose.set("right", B * (S - 3));
    prose.set("last", S - 3);
    return {"padded",
            prose("N, if the last two labels of every row are -100 (padding)",
                  "每行最后两个 label 是 -100（padding）时的 N"),
            count_answer(B * (S - 3)),
            {{count_answer(B * (S - 2)), prose("that counts the first label, too; nothing predicts it",
                                               "这把第一个 label 也算上了；没有 logits 去预测它")},
             {count_answer(B * (S - 1)), prose("ignored positions are not in N: they would pull the mean down as zeros",
                                               "被忽略的位置不计入 N，否则会以 0 的身份把平均值拉低")},
             {count_answer(B * (S - 4)),
              prose("one too many: the shift drops the last logits, which no label would meet, and no label more",
                    "多减了一个：错位去掉的是最后一个 logits，本来就没有 label 与它相对")}},
            {{prose("N counts labels, after the shift, that are not -100.", "N 数的是错位之后不等于 -100 的 label。"),
              prose("labels 1 to S - 1 are used; the last two of them are ignored",
                    "用到的是 label 1 到 S - 1，其中最后两个被忽略"),
              prose("{B} * ({S} - 1 - 2) = {right}", "{B} * ({S} - 1 - 2) = {right}")}},
            prose("Of each row labels 1 to {last} are left: {B} * {last} = {right}.",
                  "每行剩下 label 1 到 {last}：{B} * {last} = {right}。")};
}

Item mean(const Sizes& sizes, Prose prose) {
    const std::int64_t first = sizes.batch.seq - 1;  // positions of the first row that count
    const double sum = 2.0 * static_cast<double>(first) + 8.0;
    const double right = sum / static_cast<double>(first + 1);
    prose.set("first", first);
    prose.set("all", 2 * first);
    prose.set("right", fmt::format("({} * 2 + 1 * 8) / ({} + 1) = {:.4f}", first, first, right));
    constexpr double tolerance = 0.003;
    return {
        "mean",
        prose("loss of two rows of S tokens: each scored position of the first has loss 2; of the second only one "
              "counts, loss 8",
              "两行数据，每行 S 个 token：第一行每个计入的位置损失都是 2；第二行只有一个位置计入，损失是 8。总 loss "
              "是多少"),
        real_answer(right, tolerance),
        {{real_answer(5.0, tolerance), prose("that is the mean of the rows' means; every position weighs the same",
                                             "这是先各行平均再对行平均；实际上每个位置的权重相同")},
         {real_answer(sum / static_cast<double>(2 * first), tolerance),
          prose("that divides by all {all} positions; ignored ones are not counted",
                "这除以了全部 {all} 个位置；被忽略的不计数")},
         {real_answer(sum, tolerance), prose("that is the sum; the loss is a mean", "这是总和；loss 是平均值")}},
        {{prose("One mean over all counted positions of the whole batch.", "对整个 batch 里所有计入的位置取一次平均。"),
          prose("sum of the losses / number of counted positions", "损失之和 / 计入的位置数"),
          prose("{right}", "{right}")}},
        prose("{right}. A long answer in the batch outweighs a short one.",
              "{right}。同一个 batch 里，长回答的权重大于短回答。")};
}

Item uniform_loss(const Sizes& sizes, Prose prose) {
    const auto V = static_cast<double>(sizes.config.vocab_size);
    prose.set("right", fmt::format("ln {} = {:.4f}", sizes.config.vocab_size, std::log(V)));
    return {
        "uniform_loss",
        prose("loss if all logits are equal", "所有 logits 都相等时的 loss"),
        real_answer(std::log(V), 0.005),
        {{real_answer(std::log2(V), 0.005), prose("that is in bits; F.cross_entropy takes the natural logarithm",
                                                  "这是以 2 为底（bit）；F.cross_entropy 用自然对数")},
         {real_answer(1.0 / V, 0.5 / V), prose("that is the probability of each token; the loss is minus its logarithm",
                                               "这是每个 token 的概率；loss 是它的对数取负")},
         {real_answer(0.0, 1e-9), prose("a loss of 0 means probability 1 for the right token; here each has 1/V",
                                        "loss 为 0 意味着正确 token 的概率是 1；这里每个都是 1/V")}},
        {{prose("Equal logits give every token the same probability.", "logits 全相等时，每个 token 的概率相同。"),
          prose("-ln(1 / V) = ln V", "-ln(1 / V) = ln V"), prose("{right}", "{right}")}},
        prose("-ln(1/V): {right}. A fresh model starts near it; far above it, something is wrong.",
              "-ln(1/V)：{right}。刚初始化的模型从这个值附近起步；高出很多就说明有问题。")};
}

Item all_ignored(const Prose& prose) {
    return {"all_ignored",
            prose("loss if every label is -100", "所有 label 都是 -100 时的 loss"),
            word_answer({"nan"}),
            {{word_answer({"0", "0.0", "zero"}),
              prose("a sum over nothing is 0, but a mean over nothing is 0/0", "对空集求和是 0，对空集取平均却是 0/0")},
             {word_answer({"-100"}),
              prose("-100 is a mark that is never computed with", "-100 只是一个标记，从不参与计算")}},
            {{prose("The loss is a mean. Over how many positions?", "loss 是平均值。除以几个位置？"),
              prose("sum / N with N = 0", "总和 / N，而 N = 0"), prose("0 / 0", "0 / 0")}},
            prose("0 / 0 is NaN, in PyTorch and here. A running mean of losses that takes it in stays NaN.",
                  "0 / 0 是 NaN，PyTorch 和这里都一样。loss 的滑动平均只要混进一个，就一直是 NaN。")};
}

Item keep(const Sizes& sizes, Prose prose) {
    const auto [B, S] = sizes.batch;
    const std::int64_t V = sizes.config.vocab_size;
    const Shape right = {B, std::min<std::int64_t>(2, S), V};
    prose.set("right", shape_text(right));
    return {
        "keep",
        prose("shape of the logits with `--logits_to_keep 2`", "`--logits_to_keep 2` 时 logits 的 shape"),
        shape_answer(right),
        {{shape_answer({B, S - 2, V}),
          prose("that drops two positions; the last two are kept", "这是去掉两个位置；实际上是保留最后两个")},
         {shape_answer({B, S, 2}), prose("that cuts the vocabulary; positions are cut", "这切的是词表；被切的是位置")},
         {shape_answer({B, V}),
          prose("no axis is dropped, even where one position is kept", "位置轴不会消失，哪怕只保留一个")}},
        {{prose("Only the last positions go through lm_head.", "只有最后几个位置经过 lm_head。"),
          prose("hidden_states[:, -2:, :], then H -> V", "hidden_states[:, -2:, :]，再 H -> V"),
          prose("{right}", "{right}")}},
        prose("{right}. The blocks have computed all {S} positions all the same.",
              "{right}。而各个 block 照样算了全部 {S} 个位置。")};
}

}  // namespace

std::vector<Item> worksheet_10(const Sizes& sizes) {
    const Prose prose(sizes);
    constexpr std::int64_t shortest = 5;  // fewer tokens leave nothing to pad and to count
    if (sizes.batch.seq < shortest) {
        return {meets(prose), uniform_loss(sizes, prose), all_ignored(prose), keep(sizes, prose)};
    }
    return {meets(prose),       shift_logits(sizes, prose), scored(sizes, prose), padded(sizes, prose),
            mean(sizes, prose), uniform_loss(sizes, prose), all_ignored(prose),   keep(sizes, prose)};
}

}  // namespace minimind
