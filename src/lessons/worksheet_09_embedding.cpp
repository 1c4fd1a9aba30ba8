// Lesson 9's worksheet: the embedding.
#include "lessons/worksheet_09.hpp"

namespace minimind {

namespace {

Item embed_table(const Sizes& sizes, const Prose& prose) {
    const std::int64_t V = sizes.config.vocab_size;
    const std::int64_t H = sizes.config.hidden_size;
    const Answer transposed = shape_answer({H, V});
    const Answer by_position = shape_answer({sizes.batch.seq, H});
    return {"embed_table",
            {"shape of `embed_tokens.weight`", "嵌入表 `embed_tokens.weight` 的 shape"},
            shape_answer({V, H}),
            {{transposed,
              prose("that is how x · W would store it, one column a token; an embedding is looked up: row id is the "
                    "vector of token id, so it has {V} rows of {H} numbers",
                    "这是按 x · W 相乘时的存放方式，一列对应一个 token；嵌入是查表：第 id 行就是该 token 的向量，"
                    "所以是 {V} 行，每行 {H} 个数")},
             {by_position,
              prose("that has one row for each of the {S} positions; the table has one for each token of the "
                    "vocabulary, {V} rows, however long the input is",
                    "这是每个位置一行，共 {S} 行；嵌入表是词表里每个 token 一行，共 {V} 行，与输入有多长无关")}},
            {prose("The table holds one vector for each token that the model knows; a lookup takes a row of it.",
                   "嵌入表为模型认识的每个 token 存一个向量；查表就是取出其中一行。"),
             prose("x[b, s, :] = weight[input_ids[b, s], :], so the id chooses along the first axis, and the second "
                   "axis is as wide as a hidden state.",
                   "x[b, s, :] = weight[input_ids[b, s], :]：id 在第一个轴上选行，第二个轴与 hidden state 一样宽。"),
             prose("The vocabulary has {V} tokens, and a hidden state has {H} numbers.",
                   "词表有 {V} 个 token，一个 hidden state 有 {H} 个数。")},
            prose("vocab_size = {V} rows, one a token, of hidden_size = {H} numbers: [V, H] = [{V}, {H}]. The input "
                  "[{B}, {S}] only says which rows are taken.",
                  "vocab_size = {V} 行，每个 token 一行；每行 hidden_size = {H} 个数：[V, H] = [{V}, {H}]。"
                  "输入 [{B}, {S}] 只决定取哪些行。")};
}

Item embed_out(const Sizes& sizes, const Prose& prose) {
    const std::int64_t B = sizes.batch.batch;
    const std::int64_t S = sizes.batch.seq;
    return {
        "embed_out",
        {"shape of the hidden states after the embedding", "嵌入之后 hidden states 的 shape"},
        shape_answer({B, S, sizes.config.hidden_size}),
        {{shape_answer({B, S}), prose("that is the shape of input_ids, a number for a number; the lookup puts a "
                                      "vector of {H} numbers in place of each id",
                                      "这是 input_ids 的 shape，一个数换一个数；查表是用 {H} 个数的向量替换每个 id")},
         {shape_answer({B, S, sizes.config.vocab_size}),
          prose("that stops at the one-hot vectors of {V} entries; the product with the table [{V}, {H}] sums the "
                "vocabulary axis away and leaves {H}",
                "这停在了 {V} 维的 one-hot；再乘以嵌入表 [{V}, {H}]，词表轴被求和消去，剩下 {H}")}},
        {prose("The lookup keeps the axes of the ids and adds one: each id becomes a vector.",
               "查表保留 id 的各个轴，再添上一个：每个 id 变成一个向量。"),
         prose("x[b, s, :] = weight[input_ids[b, s], :]: two axes come from input_ids, the third is a row's width.",
               "x[b, s, :] = weight[input_ids[b, s], :]：前两个轴来自 input_ids，第三个轴是一行的宽度。"),
         prose("input_ids is [{B}, {S}], and a row of the table has {H} numbers.",
               "input_ids 是 [{B}, {S}]，嵌入表的一行有 {H} 个数。")},
        prose("{B} rows of {S} ids, each replaced by {H} numbers: [B, S, H] = [{B}, {S}, {H}]. From here to the "
              "final norm this shape never changes.",
              "{B} 行、每行 {S} 个 id，每个 id 换成 {H} 个数：[B, S, H] = [{B}, {S}, {H}]。"
              "从这里到最终 norm，这个 shape 一直不变。")};
}

Item same_token(const Sizes& sizes, const Prose& prose, const Lesson9Run& run) {
    return {
        "same_token",
        {"one id stands at two positions: in how many entries do its two rows differ after the embedding",
         "同一个 id 出现在两个位置：嵌入之后，这两行有几个分量不同"},
        count_answer(run.differing_entries),
        {{count_answer(sizes.config.hidden_size),
          prose("all {H} entries would differ if a position vector were added here, as in 2017; MiniMind adds none: "
                "positions enter in attention, where RoPE turns q and k",
                "若像 2017 年那样在这里加上位置向量，{H} 个分量才会都不同；MiniMind 不加："
                "位置信息在注意力里由 RoPE 旋转 q、k 时才进入")},
         {count_answer(sizes.config.head_dim),
          prose("{D} is the width of a head: RoPE would turn that many, but it turns q and k inside attention, never "
                "the rows of the embedding",
                "{D} 是一个头的宽度：RoPE 会旋转这么多分量，但它旋转的是注意力里的 q 和 k，不是嵌入的行")}},
        {prose("The embedding is a table; ask what the lookup is given beside the id.",
               "嵌入是一张表；想一想：除了 id，查表时还用到别的信息吗？"),
         prose("x[b, s, :] = weight[input_ids[b, s], :]: on the right, s occurs only inside input_ids[b, s].",
               "x[b, s, :] = weight[input_ids[b, s], :]：等号右边，s 只出现在 input_ids[b, s] 里。"),
         prose("Both positions take the same row of {H} numbers, and nothing is added to it: count the entries in "
               "which a row differs from itself.",
               "两个位置取的是同一行 {H} 个数，之后没有再加任何东西：数一数一行与它自己有几个分量不同。")},
        prose("0 of {H}: both are copies of one row of the table. Without RoPE and the causal mask a model could not "
              "tell the two positions apart.",
              "{H} 个分量里 0 个不同：两者都是表中同一行的拷贝。若没有 RoPE 和causal mask，模型分不出这两个位置。")};
}

}  // namespace

std::vector<Item> embedding_items(const Sizes& sizes, const Prose& prose, const Lesson9Run& run) {
    return {embed_table(sizes, prose), embed_out(sizes, prose), same_token(sizes, prose, run)};
}

}  // namespace minimind
