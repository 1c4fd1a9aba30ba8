// Questions about attention: who meets whom, who may see whom, and where the heads go.
#include "stepper/predict_sizes.hpp"

namespace minimind {

namespace {

Item kv_head(const QuestionSizes& n) {
    Prose prose = n.prose;
    const std::int64_t group = n.sizes.config.heads_per_kv_head();
    prose.set("group", group);
    prose.set("right", 1 / group);
    return {"k_repeat",
            {"which KV head does query head 1 read (counted from 0)?", "query 头 1 读哪个 KV 头（从 0 数起）？"},
            count_answer(1 / group),
            {{count_answer(1 % n.k), prose("that is tiled, 0 1 0 1; groups are consecutive: 0 0 1 1",
                                           "那是平铺 0 1 0 1；分组是连续的：0 0 1 1")}},
            {prose("Neighbouring query heads share a KV head.", "相邻的 query 头共用一个 KV 头。"),
             prose("j / (h / k), rounded down", "j / (h / k)，向下取整"), prose("h / k = {group}", "h / k = {group}")},
            prose("1 / {group}, rounded down, is {right}.", "1 / {group} 向下取整，得 {right}。")};
}

Item scores_shape(const QuestionSizes& n) {
    Prose prose = n.prose;
    prose.set("right", shape_text({n.B, n.h, n.S, n.T}));
    return {
        "scores",
        {"what is the shape of scores?", "scores 的 shape 是什么？"},
        shape_answer({n.B, n.h, n.S, n.T}),
        {{shape_answer({n.B, n.S, n.h, n.h}),
          prose("there the heads of one token attend to each other", "那样是同一个 token 的各个头互相关注")},
         {shape_answer({n.B, n.k, n.S, n.T}),
          prose("each of the {h} query heads has scores of its own, though keys are shared",
                "key 虽然共用，但 {h} 个 query 头各有自己的分数")},
         {shape_answer({n.B, n.h, n.S, n.S}),
          prose("the {P} cached keys are met, too", "还要与缓存的 {P} 个 key 相乘")},
         {shape_answer({n.B, n.S, n.T}), prose("that is one table for all heads", "那是所有头共用一张表")}},
        {prose("Each head has a table: a row a query, a column a key.", "每个头一张表：一行一个 query，一列一个 key。"),
         prose("[B, h, S, P + S]", "[B, h, S, P + S]"),
         prose("{S} queries, {T} keys, {h} heads", "{S} 个 query，{T} 个 key，{h} 个头")},
        prose("[B, h, S, D] @ [B, h, D, T] gives {right}.", "[B, h, S, D] @ [B, h, D, T] 得到 {right}。")};
}

Item keys_seen(const QuestionSizes& n) {
    Prose prose = n.prose;
    const std::int64_t i = n.S / 2;
    prose.set("i", i);
    prose.set("right", n.P + i + 1);
    return {"masked_scores",
            prose("how many keys may row {i} of a head see (rows counted from 0)?",
                  "一个头的第 {i} 行能看到几个 key（行从 0 数起）？"),
            count_answer(n.P + i + 1),
            {{count_answer(n.P + i), prose("it sees its own key, too", "它也看得到自己的 key")},
             {count_answer(n.T), prose("that is without a mask: the last keys come after it",
                                       "那是没有 mask 的情况：最后几个 key 在它之后")},
             {count_answer(i + 1),
              prose("the {P} cached keys come before all of them", "缓存的 {P} 个 key 都在前面，看得到")}},
            {prose("A query sees what came before it, and itself.", "query 看得到它之前的 token，以及它自己。"),
             prose("P + i + 1", "P + i + 1"), prose("P = {P}, i = {i}", "P = {P}，i = {i}")},
            prose("P + i + 1 = {P} + {i} + 1 = {right}", "P + i + 1 = {P} + {i} + 1 = {right}")};
}

Item softmax_axis(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    return {
        "attn_weights",
        {"along which axis of [B, h, S, T] do the weights add up to 1?", "权重沿 [B, h, S, T] 的哪个轴求和为 1？"},
        word_answer({"T", "key", "keys", "last", "-1", "3", "最后一个", "最后一维"}),
        {{word_answer({"S", "query", "queries", "2", "-2"}),
          prose("then a key would share itself out; it is a query that has 1 to give away",
                "那样是 key 在分配自己；应当是 query 把 1 分出去")},
         {word_answer({"h", "head", "heads", "1", "-3"}), prose("heads do not compete", "头与头不竞争")}},
        {prose("A row of weights says how a query mixes the values.", "一行权重说明一个 query 怎样混合各个 value。"),
         prose("softmax(scores, dim=-1)", "softmax(scores, dim=-1)"), prose("{T} keys", "{T} 个 key")},
        prose("Along T, the keys: each query gives away 1.", "沿 T，即 key：每个 query 把 1 分出去。")};
}

/// Without a cache only: the first query sees one key.
Item first_row(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    return {"attn_weights_first",
            {"row 0 of a head: how large is the weight of key 0?", "一个头的第 0 行：key 0 的权重是多少？"},
            real_answer(1.0, 1e-4),
            {{real_answer(1.0 / static_cast<double>(n.T), 1e-3),
              prose("that is an even row: row 0 sees one key only", "那是均匀分布：第 0 行只看得到一个 key")}},
            {prose("How many keys does the first query see?", "第一个 query 看得到几个 key？"),
             prose("exp(x) / exp(x)", "exp(x) / exp(x)"),
             prose("one key, the others are -inf", "只有一个 key，其余是 -inf")},
            prose("1: it sees itself alone, and exp(-inf) = 0.", "1：它只看得到自己，exp(-inf) = 0。")};
}

Item merged_place(const QuestionSizes& n) {
    Prose prose = n.prose;
    const std::int64_t j = n.h - 1;
    const std::int64_t right = j * n.D + 1;
    prose.set("j", j);
    prose.set("right", right);
    return {"merged",
            prose("z[b, {j}, s, 1] goes to merged[b, s, ...]: at which place?",
                  "z[b, {j}, s, 1] 去到 merged[b, s, ...] 的第几位？"),
            count_answer(right),
            {{count_answer(n.h + j), prose("that is d·h + j, the heads interleaved: a reshape without the transpose",
                                           "那是 d·h + j，各头交错：没有转置就 reshape")}},
            {prose("The heads stand side by side, each in one piece.", "各头并排，每个头是连续的一段。"),
             prose("j·D + d", "j·D + d"), prose("j = {j}, D = {D}, d = 1", "j = {j}，D = {D}，d = 1")},
            prose("j·D + d = {j} · {D} + 1 = {right}", "j·D + d = {j} · {D} + 1 = {right}")};
}

}  // namespace

std::vector<Item> attention_questions(const QuestionSizes& n, Point point) {
    switch (point) {
        case Point::k_repeat:
            return n.h > 1 ? std::vector<Item>{kv_head(n)} : std::vector<Item>{};
        case Point::scores:
            return {scores_shape(n)};
        case Point::masked_scores:
            return {keys_seen(n)};
        case Point::attn_weights:
            return n.P == 0 ? std::vector<Item>{softmax_axis(n), first_row(n)} : std::vector<Item>{softmax_axis(n)};
        case Point::merged:
            return n.h > 1 ? std::vector<Item>{merged_place(n)} : std::vector<Item>{};
        default:
            return {};
    }
}

}  // namespace minimind
