// Worksheet of lesson 11: attention, from the projections to the merged heads.
#include <algorithm>
#include <cmath>

#include "lessons/prose.hpp"

namespace minimind {

namespace {

Item k_proj_axis(const Sizes& sizes, const Prose& prose) {
    const ModelConfig& config = sizes.config;
    return {
        "k_proj_axis",
        {"last axis of the output of `k_proj`", "`k_proj` 输出的最后一个轴有多长"},
        count_answer(config.kv_size()),
        {{count_answer(config.q_size()), prose("that is q_proj's width, {h} query heads; there are only {k} key heads",
                                               "这是 q_proj 的宽度，有 {h} 个 query 头；key 只有 {k} 个头")},
         {count_answer(config.head_dim), prose("that is one head, as in multi-query attention; here there are {k}",
                                               "这只是一个头，那是 MQA；这里有 {k} 个")},
         {count_answer(config.hidden_size),
          prose("that is what goes in; a projection need not keep the width", "这是输入的宽度；投影不必保持宽度")}},
        {prose("Keys come in heads, too, and there may be fewer of them than query heads.",
               "key 也分头，而且头数可以比 query 少。"),
         prose("num_key_value_heads · head_dim", "num_key_value_heads · head_dim"),
         prose("{k} heads of {D} numbers.", "{k} 个头，每头 {D} 个数。")},
        prose("k · D = {k} · {D} = {kD}. The weight is [{kD}, {H}].",
              "k · D = {k} · {D} = {kD}，权重是 [{kD}, {H}]。")};
}

Item q_norm_count(const Sizes& sizes, Prose prose) {
    const std::int64_t tokens = sizes.batch.tokens();
    const std::int64_t right = tokens * sizes.config.num_attention_heads;
    prose.set("right", right);
    return {
        "q_norm_count",
        {"how many RMS values one call of `q_norm` computes", "一次 `q_norm` 调用计算多少个均方根"},
        count_answer(right),
        {{count_answer(tokens), prose("that is one a token: a norm over all heads together, before they are split",
                                      "这是每个 token 一个：在分头之前对整个向量做归一化")},
         {count_answer(sizes.config.head_dim), prose("{D} numbers go into one RMS, and that many weights q_norm has",
                                                     "{D} 是一个均方根所覆盖的元素个数，也是 q_norm 的参数个数")},
         {count_answer(tokens * sizes.config.num_key_value_heads),
          prose("that is k_norm's count: one for each key head", "这是 k_norm 的个数：每个 key 头一个")}},
        {prose("q_norm comes after the view: each head of each token is a vector of its own.",
               "q_norm 在 view 之后：每个 token 的每个头各是一个向量。"),
         prose("One value for each choice of b, s and j in [B, S, h, D].",
               "[B, S, h, D] 中 b、s、j 每取一组值就有一个。"),
         prose("{B} rows, {S} tokens, {h} heads.", "{B} 行，{S} 个 token，{h} 个头。")},
        prose("The mean runs along D, and [{B}, {S}, {h}] is left: {B} · {S} · {h} = {right}.",
              "沿 D 取平均，剩下 [{B}, {S}, {h}]：{B} · {S} · {h} = {right}。")};
}

Item scores_shape(const Sizes& sizes, Prose prose) {
    const auto [B, S] = sizes.batch;
    const std::int64_t h = sizes.config.num_attention_heads;
    prose.set("right", shape_text({B, h, S, S}));
    return {"scores_shape",
            {"shape of `scores`, without a cache", "没有 KV cache 时 `scores` 的 shape"},
            shape_answer({B, h, S, S}),
            {{shape_answer({B, S, h, h}),
              prose("there the heads of one token attend to each other: q and k were multiplied as [B, S, h, D]",
                    "那样是同一个 token 的各个头互相关注：q、k 以 [B, S, h, D] 的形式直接相乘了")},
             {shape_answer({B, sizes.config.num_key_value_heads, S, S}),
              prose("key heads are shared, but each of the {h} query heads has scores of its own",
                    "KV 头是共用的，但 {h} 个 query 头各有自己的分数")},
             {shape_answer({B, S, S}), prose("that is one table for all heads; each head asks its own question",
                                             "那是所有头共用一张表；每个头各问各的")}},
            {prose("Each query head has a table: a row for a query, a column for a key.",
                   "每个 query 头有一张表：一行对应一个 query，一列对应一个 key。"),
             prose("[B, h, S, D] @ [B, h, D, T], and T = S without a cache.",
                   "[B, h, S, D] @ [B, h, D, T]，没有 KV cache 时 T = S。"),
             prose("{B} rows, {h} heads, {S} queries, {S} keys.", "{B} 行，{h} 个头，{S} 个 query，{S} 个 key。")},
            prose("A product works on the last two axes: (S, D) times (D, S), for every row and head: {right}.",
                  "矩阵乘法作用在最后两个轴上：(S, D) 乘 (D, S)，每行每头各做一次：{right}。")};
}

Item keys_seen(const Sizes& sizes, Prose prose) {
    const std::int64_t S = sizes.batch.seq;
    const std::int64_t i = std::max<std::int64_t>(S - 2, 0);  // counted from 0
    prose.set("i", i);
    prose.set("right", i + 1);
    return {"keys_seen",
            {"how many keys the last but one query of a row may see, without a cache",
             "没有 KV cache 时，一行中倒数第二个 query 能看到几个 key"},
            count_answer(i + 1),
            {{count_answer(i), prose("it sees its own key, too: what is hidden begins right of the diagonal",
                                     "它也看得到自己的 key：被遮住的部分从对角线右边开始")},
             {count_answer(S), prose("that is without a causal mask: the last token comes after it",
                                     "那是没有 causal mask 的情况：最后一个 token 在它后面")}},
            {prose("A query sees what came before it, and itself.", "query 看得到它之前的 token，以及它自己。"),
             prose("Row i sees P + i + 1 keys, i counted from 0, P keys cached.",
                   "第 i 行看到 P + i + 1 个 key；i 从 0 数起，P 是缓存的 key 数。"),
             prose("P = 0, and the last but one of {S} rows is i = {i}.", "P = 0；{S} 行的倒数第二行是 i = {i}。")},
            prose("P + i + 1 = 0 + {i} + 1 = {right}.", "P + i + 1 = 0 + {i} + 1 = {right}。")};
}

Item kv_head(const Sizes& sizes, Prose prose) {
    const std::int64_t group = sizes.config.heads_per_kv_head();
    prose.set("group", group);
    prose.set("right", 1 / group);
    return {"kv_head",
            {"which KV head query head 1 reads, heads counted from 0", "query 头 1 读取哪个 KV 头（从 0 数起）"},
            count_answer(1 / group),
            {{count_answer(1 % sizes.config.num_key_value_heads),
              prose("that is tiled, 0 1 0 1; groups are consecutive, 0 0 1 1",
                    "那是循环平铺 0 1 0 1；分组是连续的 0 0 1 1")}},
            {prose("Neighbouring query heads share a KV head.", "相邻的 query 头共用一个 KV 头。"),
             prose("Query head j reads KV head j / (h / k), rounded down.",
                   "query 头 j 读取第 j / (h / k) 个 KV 头，向下取整。"),
             prose("h / k = {h} / {k} = {group}.", "h / k = {h} / {k} = {group}。")},
            prose("1 / {group}, rounded down, is {right}.", "1 / {group} 向下取整，得 {right}。")};
}

Item score_bound(const Sizes& sizes, const Prose& prose) {
    const auto D = static_cast<double>(sizes.config.head_dim);
    const double width = std::sqrt(static_cast<double>(sizes.config.hidden_size));
    return {"score_bound",
            {"the weights of `q_norm` and `k_norm` are all 1: what no score can exceed",
             "`q_norm`、`k_norm` 的 weight 全为 1 时，分数的上界"},
            real_answer(std::sqrt(D), 0.005 * std::sqrt(D)),
            {{real_answer(D, 0.005 * D),
              prose("that bounds q · k, which is still divided by sqrt({D})", "这是 q · k 的上界，还要除以 sqrt({D})")},
             {real_answer(1.0, 0.005), prose("that bounds the cosine; a head of RMS 1 has length sqrt({D})",
                                             "这是余弦的上界；RMS 为 1 的头，长度是 sqrt({D})")},
             {real_answer(width, 0.005 * width), prose("that is sqrt({H}); the norm is over one head of {D} numbers",
                                                       "这是 sqrt({H})；归一化只在一个头的 {D} 个数上进行")}},
            {prose("A dot product is at most the product of the two lengths.", "点积不超过两个向量长度的乘积。"),
             prose("|q| = |k| = sqrt(D), so q · k / sqrt(D) is at most D / sqrt(D).",
                   "|q| = |k| = sqrt(D)，所以 q · k / sqrt(D) 不超过 D / sqrt(D)。"),
             prose("D = {D}.", "D = {D}。")},
            prose("sqrt(D) · sqrt(D) / sqrt(D) = sqrt({D}), reached where q and k point the same way.",
                  "sqrt(D) · sqrt(D) / sqrt(D) = sqrt({D})，q 与 k 方向相同时取到。")};
}

Item softmax_axis(const Prose& prose) {
    return {
        "softmax_axis",
        {"axis of `attn_weights` [B, h, S, T] along which the numbers add up to 1",
         "`attn_weights` [B, h, S, T] 沿哪个轴求和为 1"},
        word_answer({"T", "key", "keys", "last", "-1", "3", "最后一个", "最后一维"}),
        {{word_answer({"S", "query", "queries", "2", "-2"}),
          prose("then every key would share itself out among the queries; it is a query that has 1 to give away",
                "那样是每个 key 把自己分给各个 query；应当是每个 query 把 1 分给各个 key")},
         {word_answer({"h", "head", "heads", "1", "-3"}),
          prose("heads do not compete: each has weights of its own", "头与头之间不竞争：每个头各有一组权重")}},
        {prose("A row of weights says how one query mixes the values.", "一行权重说明一个 query 怎样混合各个 value。"),
         prose("softmax(scores, dim=-1)", "softmax(scores, dim=-1)"),
         prose("The last of B, h, S, T.", "B、h、S、T 中的最后一个。")},
        prose("A query has T weights, one a key; z is the mean of the values, weighted by them.",
              "一个 query 有 T 个权重，每个 key 一个；z 就是以它们加权的 value 的平均。")};
}

Item merged_place(const Sizes& sizes, Prose prose) {
    const std::int64_t last = sizes.config.num_attention_heads - 1;
    const std::int64_t right = last * sizes.config.head_dim;
    prose.set("last", last);
    prose.set("right", right);
    return {"merged_place",
            {"where on the last axis of `merged` the first number of the last head stands, counted from 0",
             "最后一个头的第一个数排在 `merged` 最后一个轴的第几位（从 0 数起）"},
            count_answer(right),
            {{count_answer(last), prose("that is d · h + j, the heads interleaved: a reshape without the transpose",
                                        "这是 d · h + j，各头交错排列：忘了转置就 reshape 才会这样")},
             {count_answer(sizes.config.q_size()),
              prose("counted from 0 that is one head too far", "从 0 数起，这多了一个头")}},
            {prose("The heads stand side by side, each in one piece.", "各个头并排放置，每个头是连续的一段。"),
             prose("merged[b, s, j · D + d] = z[b, j, s, d]", "merged[b, s, j · D + d] = z[b, j, s, d]"),
             prose("j = {last}, D = {D}, d = 0.", "j = {last}，D = {D}，d = 0。")},
            prose("j · D + d = {last} · {D} + 0 = {right}.", "j · D + d = {last} · {D} + 0 = {right}。")};
}

}  // namespace

std::vector<Item> worksheet_11(const Sizes& sizes) {
    const Prose prose(sizes);
    return {k_proj_axis(sizes, prose), q_norm_count(sizes, prose), scores_shape(sizes, prose),
            keys_seen(sizes, prose),   kv_head(sizes, prose),      score_bound(sizes, prose),
            softmax_axis(prose),       merged_place(sizes, prose)};
}

}  // namespace minimind
