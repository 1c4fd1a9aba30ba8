// The worksheet of lesson 25: one product over all tokens, and what a product reads from memory.
#include <fmt/format.h>

#include "core/text.hpp"
#include "lessons/prose.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

namespace {

constexpr std::int64_t float_bytes = 4;

Item weight_reuse(const Sizes& sizes, const Prose& prose) {
    return {
        "weight_reuse",
        {"how many multiply-adds each weight of q_proj takes part in, in one forward pass without a cache",
         "不带 cache 的一次前向中，q_proj 的每个权重参与多少次乘加"},
        count_answer(sizes.batch.tokens()),
        {{count_answer(sizes.batch.seq),
          prose("that is one row; the product runs over all {B} rows at once", "这是一行的；这个乘法一次算完 {B} 行")},
         {count_answer(1), prose("once for every token; that there are many tokens is what makes the product fast",
                                 "每个 token 都要用一次；token 多，正是这个乘法快的原因")}},
        {prose("A linear layer does the same to every token.", "线性层对每个 token 做同样的事。"),
         prose("once for each column of X [H, B·S]", "X [H, B·S] 的每一列用一次"), prose("{B} · {S}", "{B} · {S}")},
        prose("{B} · {S} = {BS}. In a decode step of one row it is 1.", "{B} · {S} = {BS}。单行 decode 一步时是 1。")};
}

Item product_count(const Sizes& sizes, Prose prose) {
    const ModelConfig& config = sizes.config;
    const std::int64_t layers = config.num_hidden_layers;
    const std::int64_t right = 7 * layers + 1;
    prose.set("right", right);
    return {
        "product_count",
        {"products with a weight matrix in one forward pass of a dense model, if each is one call for all tokens",
         "dense 模型的一次前向，若每个投影对所有 token 只调用一次，一共有多少次与权重矩阵的乘法"},
        count_answer(right),
        {{count_answer(right * sizes.batch.tokens()),
          prose("that is a call for each token; all {BS} are columns of one matrix",
                "这是每个 token 各调用一次；{BS} 个 token 其实是同一个矩阵的各列")},
         {count_answer(7 * layers), prose("the head is a product, too", "lm_head 也是一次乘法")},
         {count_answer(6 * layers + 1), prose("SwiGLU has three matrices, not two", "SwiGLU 有三个矩阵，不是两个")}},
        {prose("Count the linear layers, not the tokens.", "数线性层的个数，而不是 token 的个数。"),
         prose("L · (4 + 3) + 1", "L · (4 + 3) + 1"), prose("{L} · 7 + 1", "{L} · 7 + 1")},
        prose("q, k, v, o, gate, up, down in {L} blocks, and the head: {right}.",
              "{L} 个 block 各有 q、k、v、o、gate、up、down，再加 lm_head：{right}。")};
}

Item gate_work(const Sizes& sizes, Prose prose) {
    const std::int64_t weights = sizes.config.hidden_size * sizes.config.intermediate_size;
    const std::int64_t right = weights * sizes.batch.tokens();
    prose.set("weights", weights);
    prose.set("right", right);
    return {"gate_work",
            {"multiply-adds of one gate_proj over the whole batch", "一个 gate_proj 处理整个 batch 需要多少次乘加"},
            count_answer(right),
            {{count_answer(weights), prose("that is one token", "这是一个 token 的")},
             {count_answer(2 * right),
              prose("those are FLOPs: a multiply-add counts as two of them", "这是 FLOP 数：一次乘加算两个 FLOP")}},
            {prose("Every weight meets every token once.", "每个权重与每个 token 相遇一次。"),
             prose("H · I · B · S", "H · I · B · S"), prose("{weights} · {BS}", "{weights} · {BS}")},
            prose("{H} · {I} · {BS} = {right} multiply-adds, whether in one call or in {BS}: what changes is how often "
                  "the weights are read.",
                  "{H} · {I} · {BS} = {right} 次乘加，一次调用还是 {BS} 次调用都一样；变的是权重要读几遍。")};
}

Item gemv_intensity(const Prose& prose) {
    return {
        "gemv_intensity",
        {"FLOP per byte of weights in a product with one token (float32, a multiply-add is 2 FLOP)",
         "只有一个 token 时，每读一个字节的权重做多少 FLOP（float32，一次乘加算 2 FLOP）"},
        real_answer(0.5, 0.005),
        {{real_answer(2.0, 0.02),
          prose("that is per weight; a float32 weight has 4 bytes", "这是每个权重的；一个 float32 权重有 4 个字节")},
         {real_answer(0.25, 0.0025), prose("that counts a multiply-add as one FLOP", "这把一次乘加算成了一个 FLOP")}},
        {prose("With one token every weight is used once and then forgotten.",
               "只有一个 token 时，每个权重用一次就扔。"),
         prose("2 · out · in FLOP / (4 · out · in) bytes", "2 · out · in FLOP /（4 · out · in）字节"),
         prose("2 / 4", "2 / 4")},
        prose("2 FLOP for 4 bytes: 0.5, whatever the sizes. A processor can do 10 to 20 times as much per byte.",
              "4 个字节换来 2 个 FLOP：0.5，与尺寸无关。处理器每读一个字节能做的计算是它的一二十倍。")};
}

Item gemm_intensity(const Sizes& sizes, Prose prose) {
    const auto in = static_cast<double>(sizes.config.hidden_size);
    const auto out = static_cast<double>(sizes.config.intermediate_size);
    const auto n = static_cast<double>(sizes.batch.batch) * static_cast<double>(sizes.batch.seq);
    const double flops = 2.0 * in * out * n;
    const double bytes = 4.0 * (in * out + in * n + out * n);
    const double right = flops / bytes;
    prose.set("flops", static_cast<std::int64_t>(flops));
    prose.set("bytes", static_cast<std::int64_t>(bytes));
    prose.set("right", fmt::format("{:.2f}", right));
    prose.set("half", fmt::format("{:g}", n / 2.0));
    return {"gemm_intensity",
            {"FLOP per byte of gate_proj over the whole batch, with W, X and Y each read or written once (float32)",
             "gate_proj 一次处理整个 batch，W、X、Y 各读或写一遍（float32）：每个字节多少 FLOP"},
            real_answer(right, 0.01 * right),
            {{real_answer(n / 2.0, 0.01 * n / 2.0),
              prose("{half} would be right if only the weights had to be read; X and Y cost bytes, too",
                    "只读权重时才是 {half}；X 和 Y 也要占字节")},
             {real_answer(0.5, 0.005), prose("that is one token at a time; here each weight is used {BS} times",
                                             "这是一次一个 token；这里每个权重用 {BS} 次")}},
            {prose("Work divided by traffic.", "计算量除以搬运量。"),
             prose("2 · H · I · n / (4 · (H·I + H·n + I·n)), n = B · S",
                   "2 · H · I · n / (4 · (H·I + H·n + I·n))，"
                   "n = B · S"),
             prose("{flops} / {bytes}", "{flops} / {bytes}")},
            prose("{flops} FLOP / {bytes} bytes = {right}.", "{flops} FLOP / {bytes} 字节 = {right}。")};
}

Item decode_bytes(const Sizes& sizes, Prose prose) {
    const MultiplyAdds work = count_multiply_adds(sizes.config, 1);
    const std::int64_t weights = work.projections + work.mlp + work.lm_head;
    const std::int64_t right = float_bytes * weights;
    prose.set("weights", weights);
    prose.set("right", right);
    return {"decode_bytes",
            {"bytes of weights (float32) that one decode step of a dense model must read, for all B rows together",
             "dense 模型 decode 一步，B 行一起算，至少要读多少字节的权重（float32）"},
            bytes_answer(right),
            {{bytes_answer(right * sizes.batch.batch),
              prose("the rows of a batch share the weights: they are read once for all {B}",
                    "batch 里的各行共用权重：{B} 行只读一遍")},
             {bytes_answer(weights),
              prose("that is how many weights there are; each has 4 bytes", "这是权重的个数；每个 4 字节")},
             {bytes_answer(right - float_bytes * work.lm_head),
              prose("the head is missing: every token is scored against all {V} rows",
                    "漏了 lm_head：每个 token 都要与 {V} 行求分数")}},
            {prose("Every matrix must come from memory once, however many rows wait for it.",
                   "不管有多少行在等，每个矩阵都要从内存读一遍。"),
             prose("4 · (L · (2H·hD + 2H·kD + 3HI) + VH)", "4 · (L · (2H·hD + 2H·kD + 3HI) + VH)"),
             prose("4 · {weights}", "4 · {weights}")},
            prose("4 · {weights} = {right} bytes, for one row as for {B}: that is what batching gains.",
                  "4 · {weights} = {right} 字节，一行如此，{B} 行也如此：这就是批处理的好处。")};
}

Item cache_bytes(const Sizes& sizes, Prose prose) {
    const ModelConfig& config = sizes.config;
    const std::int64_t layer = 2 * config.kv_size() * sizes.batch.seq * float_bytes;
    const std::int64_t right = config.num_hidden_layers * layer;
    prose.set("right", right);
    return {
        "cache_bytes",
        {"bytes of KV cache (float32) that one new token of one row reads when S positions are cached",
         "某一行已缓存 S 个位置时，算一个新 token 要读多少字节的 KV cache（float32）"},
        bytes_answer(right),
        {{bytes_answer(right / config.kv_size() * config.q_size()),
          prose("the cache keeps the {k} KV heads, before they are repeated for {h} query heads",
                "cache 存的是 {k} 个 KV 头，还没有重复成 {h} 个")},
         {bytes_answer(layer), prose("that is one layer; there are {L}", "这是一层；一共 {L} 层")},
         {bytes_answer(right / 2), prose("keys or values alone; both are read", "这只是 K 或 V 中的一个；两个都要读")}},
        {prose("Each layer keeps a key and a value for each position.", "每一层为每个位置存一个 key 和一个 value。"),
         prose("2 · kD · S · L · 4", "2 · kD · S · L · 4"),
         prose("2 · {kD} · {S} · {L} · 4", "2 · {kD} · {S} · {L} · 4")},
        prose("2 · {kD} · {S} · {L} · 4 = {right} bytes. Unlike the weights it belongs to one row: a batch of {B} "
              "reads {B} of them.",
              "2 · {kD} · {S} · {L} · 4 = {right} 字节。与权重不同，它属于某一行：{B} 行的 batch 要读 {B} 份。")};
}

}  // namespace

std::vector<Item> worksheet_25(const Sizes& sizes) {
    const ModelConfig& config = sizes.config;
    const Prose prose(sizes);
    std::vector<Item> items = {weight_reuse(sizes, prose), product_count(sizes, prose), gemv_intensity(prose)};
    constexpr double countable = 2e17;  // beyond that a count of bytes for the batch could leave 64 bits
    const double tokens = static_cast<double>(sizes.batch.batch) * static_cast<double>(sizes.batch.seq);
    const auto weights = static_cast<double>(count_parameters(config).total);
    if (weights * tokens > countable) return items;
    items.push_back(gemm_intensity(sizes, prose));
    items.push_back(gate_work(sizes, prose));
    if (!config.use_moe) items.push_back(decode_bytes(sizes, prose));
    items.push_back(cache_bytes(sizes, prose));
    return items;
}

}  // namespace minimind
