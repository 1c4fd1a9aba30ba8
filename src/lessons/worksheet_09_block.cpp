// Lesson 9's worksheet: the residual block.
#include "lessons/worksheet_09.hpp"

namespace minimind {

namespace {

Item attn_out(const Sizes& sizes, const Prose& prose) {
    const ModelConfig& config = sizes.config;
    const std::int64_t B = sizes.batch.batch;
    const std::int64_t S = sizes.batch.seq;
    return {
        "attn_out",
        {"shape of the output of `self_attn`", "`self_attn` 输出的 shape"},
        shape_answer({B, S, config.hidden_size}),
        {{shape_answer({B, S, config.q_size()}),
          prose(
              "{hD} = {h} · {D} is the width of the merged heads; o_proj then brings it to {H}, since the increment is "
              "added to the stream",
              "{hD} = {h} · {D} 是多头合并后的宽度；之后 o_proj 把它变成 {H}，因为增量要加到残差流上")},
         {shape_answer({B, config.num_attention_heads, S, config.head_dim}),
          prose("that is z, still one [{S}, {D}] a head; the heads are merged into {hD} numbers a token, and o_proj "
                "makes {H} of them",
                "这是 z，还是每个头一个 [{S}, {D}]；接着要把多头合并成每个 token {hD} 个数，再由 o_proj 变成 {H} 个")}},
        {prose("A sublayer's output is added to the residual stream; ask what that demands of its shape.",
               "子层的输出要加到残差流上；想一想这对它的 shape 有什么要求。"),
         prose("mid = x + self_attn(input_layernorm(x)): the two terms are added entry by entry.",
               "mid = x + self_attn(input_layernorm(x))：两项逐个元素相加。"),
         prose("x holds {B} rows of {S} tokens of {H} numbers.",
               "x 有 {B} 行，每行 {S} 个 token，每个 token {H} 个数。")},
        prose("Heads [{B}, {h}, {S}, {D}] are merged to [{B}, {S}, {hD}], o_proj maps {hD} to {H}: [B, S, H] = [{B}, "
              "{S}, {H}], the stream's own shape.",
              "多头 [{B}, {h}, {S}, {D}] 合并成 [{B}, {S}, {hD}]，o_proj 把 {hD} 变成 {H}："
              "[B, S, H] = [{B}, {S}, {H}]，与残差流相同。")};
}

Item resid_base(const Prose& prose) {
    return {
        "resid_base",
        {"the stage that the MLP's output is added to: resid_pre, resid_mid or post_attention_layernorm",
         "MLP 的输出加到哪一处：resid_pre、resid_mid 还是 post_attention_layernorm"},
        word_answer({"resid_mid", "mid", "hook_resid_mid"}),
        {{word_answer({"resid_pre", "hook_resid_pre", "pre", "x"}),
          {"that would drop what attention has added; `residual` is saved once in the code, but the first += has "
           "changed "
           "the stream before the MLP reads it",
           "那样注意力加上去的内容就丢了；代码里 `residual` 只保存一次，但 MLP 读取之前，"
           "第一个 += 已经更新了残差流"}},
         {word_answer({"post_attention_layernorm", "ln2"}),
          {"that is the normed copy, which only the MLP reads; adding to it would throw the stream's scale away, as "
           "post-norm does",
           "那是归一化后的副本，只供 MLP 读取；加到它上面就丢掉了残差流的尺度，成了 post-norm"}}},
        {prose("Nothing but sublayers' outputs is ever added to the stream, one after the other.",
               "残差流上只会依次加上各个子层的输出，别无其他。"),
         prose("h = x + attn(norm1(x)), then out = h + mlp(norm2(h)): find the stage's name of h.",
               "h = x + attn(norm1(x))，然后 out = h + mlp(norm2(h))：找出 h 对应的阶段名。"),
         prose("In `minimind trace --layer 0` it is the sum just before post_attention_layernorm: the first residual "
               "add.",
               "在 `minimind trace --layer 0` 里，它就在 post_attention_layernorm 之前：第一次残差相加的结果。")},
        {"resid_post = resid_mid + mlp(post_attention_layernorm(resid_mid)). The MLP reads a normed copy and writes to "
         "the stream itself.",
         "resid_post = resid_mid + mlp(post_attention_layernorm(resid_mid))。MLP 读的是归一化后的副本，"
         "写回的是残差流本身。"}};
}

Item second_norm(const Prose& prose) {
    return {
        "second_norm",
        {"who reads the output of `post_attention_layernorm`: self_attn, mlp or resid_mid",
         "谁读取 `post_attention_layernorm` 的输出：self_attn、mlp 还是 resid_mid"},
        word_answer({"mlp", "the mlp", "feed_forward", "ffn", "feedforward", "moe"}),
        {{word_answer({"self_attn", "attention", "attn", "注意力"}),
          {"the name only says where it stands, after attention; what attention reads is input_layernorm",
           "名字只说明它的位置在注意力之后；注意力读的是 input_layernorm"}},
         {word_answer({"resid_mid", "residual", "the residual stream", "残差流"}),
          {"that would be post-norm, where the stream itself is normalised; here the stream goes by, and the MLP alone "
           "reads the normed copy",
           "那是 post-norm，归一化的是残差流本身；这里残差流不经过它，只有 MLP 读取这份归一化后的副本"}}},
        {prose("A block has two sublayers, and each reads through a norm of its own: pre-norm.",
               "一个 block 有两个子层，各自通过自己的 norm 读取残差流：这就是 pre-norm。"),
         prose("mid = x + attn(input_layernorm(x)), then out = mid + F(post_attention_layernorm(mid)): name F.",
               "mid = x + attn(input_layernorm(x))，然后 out = mid + F(post_attention_layernorm(mid))：F 是谁？"),
         prose("Of a block's two sublayers attention already has input_layernorm; the other one is the feed-forward "
               "network, {H} to {I} to {H}.",
               "两个子层里，注意力已经有 input_layernorm；另一个是前馈网络，{H} 到 {I} 再到 {H}。")},
        {"mlp: out = mid + mlp(post_attention_layernorm(mid)). It is the MLP's pre-norm; there is no norm after a "
         "sublayer, and it is an RMSNorm in spite of its name.",
         "mlp：out = mid + mlp(post_attention_layernorm(mid))。它是 MLP 的 pre-norm；子层之后没有 norm，"
         "而且名字虽叫 layernorm，其实是 RMSNorm。"}};
}

}  // namespace

std::vector<Item> block_items(const Sizes& sizes, const Prose& prose) {
    return {attn_out(sizes, prose), resid_base(prose), second_norm(prose)};
}

}  // namespace minimind
