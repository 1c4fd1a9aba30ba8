// The worksheet of lesson 21: the residual stream as a sum, its scale, and what stands in its way.
#include <fmt/format.h>

#include <cmath>

#include "lessons/prose.hpp"

namespace minimind {

namespace {

/// The standard deviation of fresh weights.
constexpr double fresh_std = 0.02;

Item stream_terms(const ModelConfig& config, Prose prose) {
    const std::int64_t layers = config.num_hidden_layers;
    prose.set("terms", 2 * layers + 1);
    return {
        "stream_terms",
        {"how many terms add up to the stream before the final norm, the embedding counted",
         "到最终 norm 之前，残差流一共由多少项相加而成（嵌入也算一项）"},
        count_answer(2 * layers + 1),
        {{count_answer(layers + 1), prose("that is one term a block; a block writes twice, attention and then the MLP",
                                          "这是每个 block 算一项；一个 block 写两次：先是注意力，再是 MLP")},
         {count_answer(2 * layers), prose("the increments are all there; the stream began as the embedding, which "
                                          "nobody takes out again",
                                          "增量都数到了；但残差流是从嵌入开始的，之后没有谁把它拿走")}},
        {prose("Nothing is ever replaced: whatever was written stays in the sum.",
               "没有任何东西被替换：写进去的都留在和里。"),
         prose("1 embedding; for each block 1 attention and 1 MLP", "1 个嵌入，每个 block 1 个注意力、1 个 MLP"),
         prose("1 + 2 · {L}", "1 + 2 · {L}")},
        prose("1 + 2 · {L} = {terms}: the stream is the embedding and {L} times two increments.",
              "1 + 2 · {L} = {terms}：嵌入加上 {L} 个 block 各两个增量。")};
}

Item ablated_mid(const ModelConfig& config, Prose prose) {
    const std::int64_t layers = config.num_hidden_layers;
    prose.set("later", layers - 1);
    return {"ablated_mid",
            {"`layers.0.mlp` is set to 0: in how many blocks does `resid_mid` change",
             "把 `layers.0.mlp` 置 0：有多少个 block 的 `resid_mid` 会变"},
            count_answer(layers - 1),
            {{count_answer(layers), prose("block 0's own resid_mid is read before its MLP writes: it stays as it is",
                                          "block 0 自己的 resid_mid 在它的 MLP 写入之前就有了，不会变")},
             {count_answer(1), prose("what is missing from the stream is missing for every block after it, too",
                                     "残差流里少了的东西，后面每个 block 都会少")},
             {count_answer(0), prose("true of block 0, whose MLP comes after its resid_mid; but later blocks read the "
                                     "stream that it wrote to",
                                     "对 block 0 成立：它的 MLP 在 resid_mid 之后；"
                                     "但后面的 block 读的正是它写过的残差流")}},
            {prose("A change in the stream travels forwards in time only, and to everything after it.",
                   "残差流上的改动只沿时间向后传，而且传到之后的一切。"),
             prose("the order in a block: resid_pre, attention, resid_mid, MLP, resid_post",
                   "block 内的顺序：resid_pre、注意力、resid_mid、MLP、resid_post"),
             prose("{L} blocks; block 0's resid_mid comes before its MLP, the others' after it",
                   "共 {L} 个 block；block 0 的 resid_mid 在它的 MLP 之前，其余的都在之后")},
            prose("All blocks but the first: {L} - 1 = {later}. `minimind trace --filter resid_mid --ablate "
                  "layers.0.mlp` shows them.",
                  "除第一个以外的所有 block：{L} - 1 = {later}。"
                  "用 `minimind trace --filter resid_mid --ablate layers.0.mlp` 可以看到。")};
}

Item stream_rms(const ModelConfig& config, Prose prose) {
    const auto terms = static_cast<double>(2 * config.num_hidden_layers + 1);
    const double right = fresh_std * std::sqrt(terms);
    prose.set("terms", 2 * config.num_hidden_layers + 1);
    prose.set("right", fmt::format("{:.4f}", right));
    prose.set("linear", fmt::format("{:.2f}", fresh_std * terms));
    return {"stream_rms",
            {"an embedding of RMS 0.02, and two uncorrelated increments of RMS 0.02 in each block: RMS of the stream "
             "after the last block",
             "嵌入的 RMS 为 0.02，每个 block 写入两个互不相关、RMS 为 0.02 的增量："
             "最后一个 block 之后残差流的 RMS"},
            real_answer(right, 0.02 * right),
            {{real_answer(fresh_std * terms, 0.02 * fresh_std * terms),
              prose("that adds lengths; vectors that have nothing to do with each other stand at right angles, and "
                    "their squares add",
                    "这是把长度直接相加；互不相关的向量近似垂直，相加的是平方")},
             {real_answer(fresh_std, 0.02 * fresh_std),
              prose("nothing brings the stream back to its old scale: in pre-norm the norms stand beside it",
                    "没有谁会把残差流拉回原来的尺度：pre-norm 的 norm 都在分支上，不在主干上")}},
            {prose("Uncorrelated vectors add like the sides of a right triangle.",
                   "互不相关的向量相加，就像直角三角形的两条边。"),
             prose("RMS of the sum = sqrt(sum of the squared RMS)", "和的 RMS = sqrt(各项 RMS 的平方之和)"),
             prose("{terms} terms: 0.02 · sqrt({terms})", "共 {terms} 项：0.02 · sqrt({terms})")},
            prose("0.02 · sqrt({terms}) = {right}, not {terms} · 0.02 = {linear}.",
                  "0.02 · sqrt({terms}) = {right}，而不是 {terms} · 0.02 = {linear}。")};
}

Item post_norm_rms(const ModelConfig& config, Prose prose) {
    const double pre = fresh_std * std::sqrt(static_cast<double>(2 * config.num_hidden_layers + 1));
    prose.set("pre", fmt::format("{:.4f}", pre));
    return {
        "post_norm_rms",
        {"the same increments in a post-norm model, x = Norm(x + F(x)), norm weights 1: RMS of the stream after the "
         "last block",
         "同样的增量放到 post-norm 模型里，x = Norm(x + F(x))，norm 的 weight 为 1：最后一个 block 之后残差流的 RMS"},
        real_answer(1.0, 5e-3),
        {{real_answer(pre, 0.02 * pre), prose("that is the pre-norm stream; here the norm stands on the stream "
                                              "itself, after every sum",
                                              "这是 pre-norm 的结果；这里归一化就压在主干上，每次相加之后做一次")},
         {real_answer(std::sqrt(2.0), 5e-3),
          prose("that would be a normed x and an increment as large, before the norm; the norm comes last",
                "这是归一化过的 x 加上同样大的增量、还没做归一化时的值；归一化在最后")}},
        {prose("Ask what the last thing is that happens to the stream.", "想一想对残差流做的最后一步是什么。"),
         prose("RMS(RMSNorm(v)) = 1 for every v that is not tiny", "只要 v 不是极小，RMS(RMSNorm(v)) = 1"),
         prose("after 2 · {L} norms the last one decides", "经过 2 · {L} 次归一化，只看最后一次")},
        prose("1: the last operation is a norm, whatever came before. How deep the model is does not show in the "
              "scale any more, and the embedding has been divided 2 · {L} times.",
              "1：最后一步是归一化，前面怎样都无所谓。尺度上再也看不出模型有多深，而嵌入已经被除了 2 · {L} 次。")};
}

Item all_twos(const ModelConfig& config, Prose prose) {
    const double root = std::sqrt(static_cast<double>(config.hidden_size));
    prose.set("inverse", fmt::format("{:.4f}", 1.0 / root));
    return {"all_twos",
            {"all H numbers of a token are 2: what RMSNorm (weight 1) makes of each of them",
             "一个 token 的 H 个数全是 2：RMSNorm（weight 为 1）把每个数变成多少"},
            real_answer(2.0 / std::sqrt(4.0 + config.rms_norm_eps), 1e-3),
            {{real_answer(0.0, 1e-3), prose("that is LayerNorm, which subtracts the mean first; RMSNorm keeps it",
                                            "这是 LayerNorm，它先减均值；RMSNorm 保留均值")},
             {real_answer(1.0 / root, 1e-3),
              prose("that divides by the length of the vector; its root mean square is sqrt({H}) times smaller",
                    "这是除以向量的长度；均方根只有长度的 1/sqrt({H})")},
             {real_answer(2.0, 1e-3), prose("a weight of 1 does not make the norm do nothing: it still divides",
                                            "weight 为 1 不等于什么都不做：除法照做")}},
            {prose("Root, mean, square, from right to left: square, take the mean, take the root.",
                   "先平方（方），再求平均（均），最后开方（根）。"),
             prose("y = x / sqrt(mean(x^2) + eps)", "y = x / sqrt(mean(x^2) + eps)"),
             prose("mean(x^2) = {H} · 4 / {H} = 4", "mean(x^2) = {H} · 4 / {H} = 4")},
            prose("2 / sqrt(4) = 1. LayerNorm gives 0 for the same token, division by the length {inverse}.",
                  "2 / sqrt(4) = 1。同一个 token，LayerNorm 给出 0，除以长度则是 {inverse}。")};
}

Item layernorm_biases(const ModelConfig& config, Prose prose) {
    const std::int64_t layers = config.num_hidden_layers;
    const std::int64_t hidden = config.hidden_size;
    prose.set("modules", 2 * layers + 1);
    prose.set("right", (2 * layers + 1) * hidden);
    return {
        "layernorm_biases",
        {"how many parameters the biases would add if every RMSNorm over H were a LayerNorm",
         "如果把所有沿 H 做的 RMSNorm 换成 LayerNorm，bias 会增加多少参数"},
        count_answer((2 * layers + 1) * hidden),
        {{count_answer(2 * layers * hidden), prose("the final norm is one of them, too", "最终 norm 也是其中之一")},
         {count_answer((4 * layers + 1) * hidden),
          prose("q_norm and k_norm do not run over H; they are over head_dim, {D} wide",
                "q_norm 和 k_norm 不是沿 H 做的，它们沿 head_dim，宽 {D}")},
         {count_answer(hidden), prose("that is one norm; count them", "这只是一个 norm；数一数有几个")}},
        {prose("LayerNorm adds one number a feature to what RMSNorm has.", "LayerNorm 比 RMSNorm 每个特征多一个数。"),
         prose("(2L + 1) · H", "(2L + 1) · H"), prose("{modules} norms of width {H}", "{modules} 个宽 {H} 的 norm")},
        prose("(2 · {L} + 1) · {H} = {right}. For minimind3 it is 13,056, 0.02 % of the model: the biases are not "
              "why RMSNorm is used.",
              "(2 · {L} + 1) · {H} = {right}。minimind3 是 13,056，占模型的 0.02 %："
              "省这点 bias 不是用 RMSNorm 的理由。")};
}

Item logit_rms(const ModelConfig& config, Prose prose) {
    const auto hidden = static_cast<double>(config.hidden_size);
    const double right = fresh_std * std::sqrt(hidden);
    prose.set("right", fmt::format("{:.4f}", right));
    prose.set("linear", fmt::format("{:.2f}", fresh_std * hidden));
    return {
        "logit_rms",
        {"fresh weights (standard deviation 0.02), a hidden state of RMS 1 from the final norm: RMS of the logits",
         "权重刚初始化（标准差 0.02），最终 norm 给出 RMS 为 1 的 hidden state：logits 的 RMS"},
        real_answer(right, 0.05 * right),
        {{real_answer(fresh_std, 0.05 * fresh_std),
          prose("that is one product; a logit adds up {H} of them", "这是一个乘积；一个 logit 是 {H} 个乘积之和")},
         {real_answer(fresh_std * hidden, 0.05 * fresh_std * hidden),
          prose("{linear} is what {H} products of one sign would give; these have both signs",
                "{linear} 是 {H} 个同号乘积的结果；这里的乘积有正有负")}},
        {prose("A logit is a sum of products with random signs.", "一个 logit 是一串正负随机的乘积之和。"),
         prose("0.02 · (RMS of the hidden state) · sqrt(H)", "0.02 · (hidden state 的 RMS) · sqrt(H)"),
         prose("0.02 · 1 · sqrt({H})", "0.02 · 1 · sqrt({H})")},
        prose("0.02 · sqrt({H}) = {right}; without the final norm it would be as many times smaller or larger as "
              "the stream's RMS is away from 1.",
              "0.02 · sqrt({H}) = {right}；没有最终 norm 的话，残差流的 RMS 偏离 1 多少倍，logits 就跟着偏多少倍。")};
}

}  // namespace

std::vector<Item> worksheet_21(const Sizes& sizes) {
    const ModelConfig& config = sizes.config;
    const Prose prose(sizes);
    return {stream_terms(config, prose),  ablated_mid(config, prose), stream_rms(config, prose),
            post_norm_rms(config, prose), all_twos(config, prose),    layernorm_biases(config, prose),
            logit_rms(config, prose)};
}

}  // namespace minimind
