#include "trace_block_shapes/explanations.hpp"

#include <fmt/format.h>

namespace minimind {

namespace {

const Words first_block = {
    "Every stage is [{B}, {S}, {H}], so that both residual adds fit. A norm whose weights are 1 turns a vector of RMS "
    "r into one of RMS r / sqrt(r^2 + {eps}): just under 1 while r is small. Only attention and the MLP get to see "
    "that; the adds use the stream as it was before the norm.",
    "每一步的 shape 都是 [{B}, {S}, {H}]，两次残差相加才对得上。weight 为 1 的 norm 把 RMS 为 r 的向量变成 RMS 为 r / "
    "sqrt(r^2 + {eps})，r 很小时略小于 1。归一化的结果只送进注意力或 MLP，残差相加用的仍是归一化之前的值。"};

const Words next_block = {
    "The input is block {before}'s output, digit for digit. This block has the same shapes but weights of its own; "
    "compare the two mean_rms of input and output: what a block does to the stream is added, never put in its place.",
    "输入就是 block {before} 的输出，一位不差。shape 完全相同，参数却是这一层自己的。对比输入与输出的 mean_rms：每个 "
    "block 都只是往残差流上加，而不是取代它。"};

const Words tied_head = {
    "Each of the {B} x {S} vectors is scored against every row of the table: {V} logits a position, for the token that "
    "comes next. The table is embed_tokens.weight itself, since tie_word_embeddings is True.",
    "{B} × {S} 个向量各自与 lm_head.weight 的每一行做点积：每个位置得到 {V} 个 logits，给下一个 token 打分。因为 "
    "tie_word_embeddings 为 True，它就是 embed_tokens.weight 本身。"};

const Words own_head = {
    "Each of the {B} x {S} vectors is scored against every row of lm_head.weight: {V} logits a position, for the token "
    "that comes next. It has the shape of the embedding's table but, untied, weights of its own.",
    "{B} × {S} 个向量各自与 lm_head.weight 的每一行做点积：每个位置得到 {V} 个 logits，给下一个 token 打分。它与嵌入表 "
    "shape 相同，但没有共享（untied），是独立的参数。"};

}  // namespace

Explanations explain_block_shapes(const ModelConfig& config, Batch batch) {
    Explanations texts = {
        {"Config",
         {"A token is a vector of {H} numbers all the way through. Only inside attention is it seen as {h heads} of "
          "{D} numbers, which share {k heads}.",
          "一个 token 自始至终是 {H} 个数；只有在注意力内部才被看成 {h} 个 {D} 维的 query 头，共用 {k} 个 KV 头。"}},
        {"Input",
         {"No vector yet: {B} x {S} whole numbers below {V}, each the number of a row of embed_tokens.weight.",
          "这里还没有向量，只有 {B} × {S} 个小于 {V} 的整数，每个都是 embed_tokens.weight 的行号。"}},
        {"Embedding",
         {"One axis more: every id has become its row of the table, {H} numbers. Fresh rows are drawn with a standard "
          "deviation of 0.02, and so their RMS is near 0.02; dropout does nothing outside training.",
          "多了一个轴：每个 id 变成表中对应的一行，共 {H} 个数。刚初始化的表按标准差 0.02 采样，所以 RMS 接近 0.02；"
          "不在训练时 dropout 不起作用。"}},
        {"Position Embeddings",
         {"A row for each of the {S positions}, {D} numbers wide like a head, without a batch axis. They are not added "
          "to the stream: every block's attention turns its q and k by them.",
          "{S} 个位置各占一行，宽度是一个头的 {D} 维，没有 batch 轴。它们不加到残差流上，而是在每个 block 的注意力里用"
          "来旋转 q 和 k。"}},
        {"Block 0", first_block},
        {"Final Norm",
         {"The shape stays, the scale does not: with weights of 1 every vector comes out with an RMS near 1, however "
          "far the blocks have made the stream grow.",
          "shape 不变，尺度变了：weight 为 1 时，无论残差流在各个 block 里增长了多少，输出向量的 RMS 都接近 1。"}},
        {"LM Head", config.tie_word_embeddings ? tied_head : own_head},
        {"Shape Rule",
         {"Batch and sequence pass through untouched; only the last axis changes: none for ids, {H} for the stream, "
          "{V} for scores.",
          "batch 和 seq 两个轴原样通过，变的只是最后一个轴：id 没有这个轴，残差流是 {H}，logits 是 {V}。"}},
    };
    const Blanks blanks = size_blanks(config, batch);
    texts = all_filled(std::move(texts), blanks);
    for (std::int64_t layer = 1; layer < config.num_hidden_layers; ++layer) {
        texts[fmt::format("Block {}", layer)] = filled(next_block, {{"before", std::to_string(layer - 1)}});
    }
    return texts;
}

}  // namespace minimind
