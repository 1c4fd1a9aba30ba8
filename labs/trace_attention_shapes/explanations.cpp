#include "trace_attention_shapes/explanations.hpp"

namespace minimind {

namespace {

/// Under [Config]: how query heads share key/value heads.
Words sharing(const ModelConfig& config) {
    if (config.heads_per_kv_head() == 1) {
        return {
            "As many key/value heads as query heads: every query head has its own, and n_rep is 1. flash_attn is off, "
            "so that the scores are formed as whole matrices, which one can look at.",
            "KV 头和 query 头一样多，各用各的，所以 n_rep 为 1。flash_attn 关闭，这样 scores 会作为完整的矩阵算出来，"
            "可以直接查看。"};
    }
    return {
        "n_rep = {h} / {k} = {n_rep}: so many query heads share one key/value head. flash_attn is off, so that the "
        "scores are formed as whole matrices, which one can look at.",
        "n_rep = {h} / {k} = {n_rep}：每 {n_rep} 个 query 头共用一个 KV 头。flash_attn 关闭，这样 scores "
        "会作为完整的矩阵算出来，可以直接查看。"};
}

Words input(bool is_random) {
    if (!is_random) {
        return {"What block 0's input_layernorm makes of these ids: {B} x {S} vectors of {H} numbers.",
                "block 0 的 input_layernorm 对这些 id 的输出：{B} × {S} 个 {H} 维向量。"};
    }
    return {
        "{B} x {S} vectors of {H} random numbers with standard deviation 1 stand for what input_layernorm would give. "
        "Shapes do not ask where the values come from.",
        "{B} × {S} 个 {H} 维向量，用标准差为 1 的随机数代替 input_layernorm 的输出。看 shape 用不着在意数值从哪来。"};
}

Words projections(const ModelConfig& config) {
    if (config.heads_per_kv_head() == 1) {
        return {
            "Q, K and V are equally wide: {h} x {D} = {hD}. The weight of o_proj is [out, in] = [{H}, {hD}]; it brings "
            "the heads back to the stream's width.",
            "Q、K、V 一样宽：{h} × {D} = {hD}。o_proj 的权重是 [out, in] = [{H}, {hD}]，"
            "把各个头的结果变回残差流的宽度。"};
    }
    return {
        "Q is {h} x {D} = {hD} wide, K and V only {k} x {D} = {kD}: fewer heads, not narrower ones. The weight of "
        "o_proj is [out, in] = [{H}, {hD}]; it brings the heads back to the stream's width.",
        "Q 宽 {h} × {D} = {hD}，K 和 V 只有 {k} × {D} = {kD}：少的是头的个数，每个头并没有变窄。o_proj 的权重是 [out, "
        "in] = [{H}, {hD}]，把各个头的结果变回残差流的宽度。"};
}

Words repeating(const ModelConfig& config) {
    if (config.heads_per_kv_head() == 1) {
        return {
            "n_rep is 1, so that repeating changes nothing. The heads' axis moves in front of the positions': q k^T "
            "then compares positions within a head, where it would have compared heads within a position.",
            "n_rep 为 1，重复之后没有变化。头的轴换到位置轴前面：这样 q k^T 比较的是同一个头里的各个位置，"
            "而不是同一个位置上的各个头。"};
    }
    return {
        "Each key/value head stands {n_rep} times in a row: query head j reads key/value head j / {n_rep}, rounded "
        "down. The heads' axis moves in front of the positions': q k^T then compares positions within a head, where it "
        "would have compared heads within a position.",
        "每个 KV 头连续重复 {n_rep} 次：第 j 个 query 头用第 ⌊j / {n_rep}⌋ 个 KV 头。头的轴换到位置轴前面：这样 q k^T "
        "比较的是同一个头里的各个位置，而不是同一个位置上的各个头。"};
}

}  // namespace

Explanations explain_attention_shapes(const ModelConfig& config, Batch batch, bool is_random) {
    const Explanations texts = {
        {"Config", sharing(config)},
        {"Input", input(is_random)},
        {"Linear Projections", projections(config)},
        {"Head Reshape",
         {"No number moves: {hD} numbers are read as {h heads} of {D}, {kD} as {k heads} of {D}.",
          "一个数也没有移动：{hD} 个数看成 {h} 个 {D} 维的 query 头，{kD} 个数看成 {k} 个 {D} 维的 KV 头。"}},
        {"Q/K Norm",
         {"An RMSNorm of each head by itself, over its {D} numbers: {q norms} of them for q, {k norms} for k. All "
          "heads share one weight of {D} numbers. v has no norm.",
          "每个头在自己的 {D} 个数上单独做 RMSNorm：q 要做 {q norms} 次，k 要做 {k norms} 次。所有头共用一个 {D} 维的 "
          "weight。v 不做归一化。"}},
        {"RoPE Shape Only",
         {"One row of cos and sin a position, the same for every head and every row of the batch. Turning changes "
          "neither the shape nor the length of a head, and v is not turned at all.",
          "每个位置一行 cos 和 sin，所有头、batch 的每一行都用同一份。旋转既不改变 shape，也不改变一个头的长度；v "
          "不旋转。"}},
        {"Repeat KV and Transpose", repeating(config)},
        {"Scores and Causal Mask",
         {"A row of the matrix is a query, a column a key. Each row sums to 1; right of the diagonal are zeros, since "
          "the mask made those scores -inf before the softmax. The first token sees only itself, hence its 1.",
          "矩阵的一行是一个 query，一列是一个 key。每行之和为 1；对角线右边都是 0，因为 mask 在 softmax 之前把这些 "
          "scores 设成了 -inf。第一个 token 只看得到自己，所以是 1。"}},
        {"Output",
         {"The heads are put side by side, {h} x {D} = {hD} numbers a token, and o_proj mixes them. The module sums in "
          "blocks, in another order; what the last line shows is rounding.",
          "各个头首尾相接，每个 token {h} × {D} = {hD} 个数，再由 o_proj 混合。模块按分块、以另一种顺序求和，"
          "最后一行的差就是舍入误差。"}},
        {"Shape Rule",
         {"Only the scores have the sequence twice: {S} x {S} numbers for every head. They are what grows with the "
          "square of the length.",
          "只有 scores 里序列长度出现了两次：每个头 {S} × {S} 个数。随长度按平方增长的就是它。"}},
    };
    Blanks blanks = size_blanks(config, batch);
    blanks["q norms"] = std::to_string(batch.tokens() * config.num_attention_heads);
    blanks["k norms"] = std::to_string(batch.tokens() * config.num_key_value_heads);
    return all_filled(texts, blanks);
}

}  // namespace minimind
