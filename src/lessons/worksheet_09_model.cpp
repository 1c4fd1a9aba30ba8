// Lesson 9's worksheet: from the blocks to the logits.
#include "lessons/worksheet_09.hpp"

namespace minimind {

namespace {

Item norm_modules(const Sizes& sizes, const Prose& sizes_prose) {
    const std::int64_t L = sizes.config.num_hidden_layers;
    Prose prose = sizes_prose;
    prose.set("4L", 4 * L);
    prose.set("2L+1", 2 * L + 1);
    prose.set("all", 4 * L + 1);
    return {
        "norm_modules",
        {"how many RMSNorm modules the model has", "全模型有多少个 RMSNorm 模块"},
        count_answer(4 * L + 1),
        {{count_answer(2 * L + 1),
          prose("{2L+1} = 2 · {L} + 1 leaves out q_norm and k_norm, which every attention has, too",
                "{2L+1} = 2 · {L} + 1 漏掉了每个注意力里的 q_norm 和 k_norm")},
         {count_answer(4 * L), prose("{4L} = 4 · {L} leaves out the final norm, model.norm, after the last block",
                                     "{4L} = 4 · {L} 漏掉了最后一个 block 之后的 model.norm")}},
        {prose("Some normalise the stream, some normalise heads, and one stands outside the blocks.",
               "有的归一化残差流，有的归一化每个头，还有一个在 block 之外。"),
         prose("A block has input_layernorm, post_attention_layernorm, q_norm and k_norm; after all blocks comes "
               "model.norm.",
               "每个 block 有 input_layernorm、post_attention_layernorm、q_norm、k_norm；所有 block 之后还有 "
               "model.norm。"),
         prose("4 in each of the {L} blocks, and 1 more.", "{L} 个 block 各 4 个，再加 1 个。")},
        prose("4 · {L} + 1 = {all}: input_layernorm, post_attention_layernorm, q_norm and k_norm in each block, and "
              "model.norm.",
              "4 · {L} + 1 = {all}：每个 block 里的 input_layernorm、post_attention_layernorm、q_norm、k_norm，"
              "再加 model.norm。")};
}

Item model_out(const Sizes& sizes, const Prose& prose) {
    const std::int64_t B = sizes.batch.batch;
    const std::int64_t S = sizes.batch.seq;
    const std::int64_t H = sizes.config.hidden_size;
    return {
        "model_out",
        {"shape of the hidden states that `MiniMindModel` returns", "`MiniMindModel` 返回的 hidden states 的 shape"},
        shape_answer({B, S, H}),
        {{shape_answer({B, S, sizes.config.vocab_size}),
          prose("the vocabulary axis comes with lm_head, which belongs to MiniMindForCausalLM; MiniMindModel ends with "
                "its final norm, at width {H}",
                "词表轴是 lm_head 带来的，它属于 MiniMindForCausalLM；MiniMindModel 到最终 norm 为止，宽度还是 {H}")},
         {shape_answer({B, H}),
          prose("that is one vector a row, as an encoder's pooling gives; a decoder keeps all {S} "
                "positions, since each one predicts its next token",
                "这是每行一个向量，像 encoder 的 pooling；decoder 保留全部 {S} 个位置，"
                "因为每个位置都要预测下一个 token")}},
        {prose("It is the decoder without its head: embedding, blocks, final norm.",
               "它是不带输出头的 decoder：嵌入、各个 block、最终 norm。"),
         prose("norm(block_L(... block_1(embed(ids)))): blocks and norms keep the shape that the embedding gave.",
               "norm(block_L(... block_1(embed(ids))))：block 和 norm 都保持嵌入给出的 shape。"),
         prose("{B} rows, {S} positions, {H} numbers each; {V} does not occur before lm_head.",
               "{B} 行、{S} 个位置、每个位置 {H} 个数；在 lm_head 之前不会出现 {V}。")},
        prose("[B, S, H] = [{B}, {S}, {H}]: the shape after the embedding, after each of the {L} blocks and after the "
              "final norm. Only lm_head turns {H} into {V}.",
              "[B, S, H] = [{B}, {S}, {H}]：嵌入之后、{L} 个 block 的每一个之后、最终 norm 之后都是它。"
              "只有 lm_head 才把 {H} 变成 {V}。")};
}

Item logits1(const Sizes& sizes, const Prose& prose) {
    const std::int64_t B = sizes.batch.batch;
    const std::int64_t V = sizes.config.vocab_size;
    return {
        "logits1",
        {"shape of the logits with `logits_to_keep` = 1", "`logits_to_keep` = 1 时 logits 的 shape"},
        shape_answer({B, 1, V}),
        {{shape_answer({B, V}),
          prose("the slice -1: keeps the position axis, with length 1; only the index -1 would drop "
                "it",
                "切片 -1: 会保留位置轴，长度为 1；用下标 -1 取才会去掉这个轴")},
         {shape_answer({B, sizes.batch.seq, 1}),
          prose(
              "that keeps one token of the vocabulary; logits_to_keep counts positions, and every one that is kept has "
              "all {V} scores",
              "这是只留下词表里的一个 token；logits_to_keep 数的是位置，保留下来的每个位置都有全部 {V} 个分数")}},
        {prose("It saves the head's work at positions whose logits nobody reads.",
               "它省掉没人要看的那些位置上 lm_head 的计算。"),
         prose("logits = lm_head(hidden_states[:, -logits_to_keep:, :]): a slice, and then {V} scores a position.",
               "logits = lm_head(hidden_states[:, -logits_to_keep:, :])：先切片，再为每个位置算 {V} 个分数。"),
         prose("hidden_states[:, -1:, :] is [{B}, 1, {H}], and lm_head turns {H} into {V}.",
               "hidden_states[:, -1:, :] 是 [{B}, 1, {H}]，lm_head 把 {H} 变成 {V}。")},
        prose(
            "[{B}, {S}, {H}] is cut to its last position, [{B}, 1, {H}], and the head makes [B, 1, V] = [{B}, 1, {V}] "
            "of it. The axis stays, so that code behind it works for any number of positions.",
            "[{B}, {S}, {H}] 只取最后一个位置，得 [{B}, 1, {H}]，再经 lm_head 得 [B, 1, V] = [{B}, 1, {V}]。"
            "位置轴还在，后面的代码对任意多个位置都适用。")};
}

/// Parameters of a dense block with k key/value heads: q and o, k and v, QK-norms, gate, up and down, two norms.
std::int64_t dense_block(const ModelConfig& config, std::int64_t k) {
    const std::int64_t H = config.hidden_size;
    const std::int64_t D = config.head_dim;
    return 2 * H * config.num_attention_heads * D + 2 * H * k * D + 2 * D + 3 * H * config.intermediate_size + 2 * H;
}

Item one_more_layer(const Sizes& sizes, const Prose& sizes_prose) {
    const ModelConfig& config = sizes.config;
    const std::int64_t right = dense_block(config, config.num_key_value_heads);
    const std::int64_t H = config.hidden_size;
    Prose prose = sizes_prose;
    prose.set("2D", 2 * config.head_dim);
    prose.set("2H", 2 * H);
    prose.set("qo", 2 * H * config.q_size());
    prose.set("kv", 2 * H * config.kv_size());
    prose.set("mlp", 3 * H * config.intermediate_size);
    prose.set("all", right);
    return {
        "one_more_layer",
        {"how many parameters one more dense layer adds", "多一层（dense）增加多少个参数"},
        count_answer(right),
        {{count_answer(right - 2 * config.head_dim), prose("{2D} too few: q_norm and k_norm have {D} weights each",
                                                           "少了 {2D} 个：q_norm 和 k_norm 各有 {D} 个权重")},
         {count_answer(dense_block(config, config.num_attention_heads)),
          prose("that gives k and v all {h} heads; with GQA they have {k}: k_proj and v_proj are [{kD}, {H}] each",
                "这是让 k、v 也有 {h} 个头；GQA 下它们只有 {k} 个：k_proj 和 v_proj 都是 [{kD}, {H}]")}},
        {prose("Add up the tensors of one block: four projections, three of the MLP, four norms; there are no biases.",
               "把一个 block 的张量加起来：四个投影、MLP 的三个矩阵、四个 norm；没有 bias。"),
         prose("2·H·h·D (q, o) + 2·H·k·D (k, v) + 2·D (QK-norms) + 3·H·I (gate, up, down) + 2·H (norms)",
               "2·H·h·D（q、o）+ 2·H·k·D（k、v）+ 2·D（QK-norm）+ 3·H·I（gate、up、down）+ 2·H（两个 norm）"),
         prose("{qo} + {kv} + {2D} + {mlp} + {2H}", "{qo} + {kv} + {2D} + {mlp} + {2H}")},
        prose("q and o {qo}, k and v {kv}, QK-norms {2D}, gate, up and down {mlp}, norms {2H}: {all} together. "
              "Embedding, "
              "head and final norm do not grow with the depth.",
              "q、o 共 {qo}，k、v 共 {kv}，QK-norm 共 {2D}，gate、up、down 共 {mlp}，两个 norm 共 {2H}：合计 {all}。"
              "嵌入、输出头和最终 norm 不随层数增加。")};
}

}  // namespace

std::vector<Item> model_items(const Sizes& sizes, const Prose& prose) {
    return {norm_modules(sizes, prose), model_out(sizes, prose), logits1(sizes, prose), one_more_layer(sizes, prose)};
}

}  // namespace minimind
