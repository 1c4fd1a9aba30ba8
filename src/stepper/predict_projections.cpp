// Questions from the projections to the cache: widths, heads, norms, rotation.
#include "stepper/predict_sizes.hpp"

namespace minimind {

namespace {

/// A question that is answered with yes or no.
Answer yes() {
    return word_answer({"yes", "y", "是", "会", "对"});
}
Answer no() {
    return word_answer({"no", "n", "none", "否", "不", "不会", "没有"});
}

Item k_width(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    return {"k_proj",
            {"how long is the last axis of k_proj?", "k_proj 的最后一个轴有多长？"},
            count_answer(n.k * n.D),
            {{count_answer(n.h * n.D), prose("that is q_proj, h·D: grouped-query attention has fewer key heads",
                                             "这是 q_proj 的 h·D：GQA 的 key 头更少")},
             {count_answer(n.D), prose("that is one head: multi-query attention. Here there are {k} KV heads",
                                       "这只是一个头，那是 MQA；这里有 {k} 个 KV 头")},
             {count_answer(n.H), prose("that is its input", "这是它的输入")}},
            {prose("Keys have heads of their own, fewer than queries.", "key 有自己的头，比 query 少。"),
             prose("k · D", "k · D"), prose("{k} heads of {D}", "{k} 个头，每头 {D}")},
            prose("k · D = {k} · {D} = {kD}", "k · D = {k} · {D} = {kD}")};
}

Item q_view(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    return {"q",
            {"what is the shape of q, the view of q_proj as heads?", "q 是把 q_proj 看成各个头，它的 shape 是什么？"},
            shape_answer({n.B, n.S, n.h, n.D}),
            {{shape_answer({n.B, n.h, n.S, n.D}),
              prose("that is after the transpose, which comes later: a view cannot exchange axes in memory",
                    "那是转置之后的，转置还在后面：view 不会在内存里交换轴")},
             {shape_answer({n.B, n.S, n.k, n.D}),
              prose("that is k and v; there are {h} query heads", "那是 k 和 v；query 有 {h} 个头")},
             {shape_answer({n.B, n.S, n.h * n.D}), prose("that is before the view", "这是 view 之前的")}},
            {prose("view splits the last axis and leaves the others.", "view 只拆开最后一个轴，其他轴不动。"),
             prose("[B, S, h·D] -> [B, S, h, D]", "[B, S, h·D] -> [B, S, h, D]"),
             prose("{hD} = {h} · {D}", "{hD} = {h} · {D}")},
            prose("[{B}, {S}, {hD}] seen as [{B}, {S}, {h}, {D}]: the same bytes.",
                  "[{B}, {S}, {hD}] 看成 [{B}, {S}, {h}, {D}]：同一块内存。")};
}

Item q_bytes(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    return {"q_bytes",
            {"does the view from q_proj to q move any bytes?", "从 q_proj 到 q 的 view 会搬动内存里的数据吗？"},
            no(),
            {{yes(), prose("a view changes how an index is counted, not what lies in memory",
                           "view 只改变下标怎么数，不改变内存里的内容")}},
            {prose("The heads of a token lie side by side already.", "一个 token 的各个头本来就连续排放。"),
             prose("place = j·D + d before and after", "前后都是 j·D + d"),
             prose("D = {D}: head 1 begins at {D}.", "D = {D}：第 1 个头从 {D} 开始。")},
            prose("No: q[b, s, j, d] is q_proj[b, s, j·D + d], in the same place.",
                  "不会：q[b, s, j, d] 就是 q_proj[b, s, j·D + d]，位置不变。")};
}

Item norm_count(const QuestionSizes& n) {
    Prose prose = n.prose;
    prose.set("right", n.B * n.S * n.h);
    return {"q_norm",
            {"how many RMS values does q_norm compute in this pass?", "q_norm 这一次计算多少个均方根？"},
            count_answer(n.B * n.S * n.h),
            {{count_answer(n.B * n.S),
              prose("one a token: that is a norm before the heads are split", "每个 token 一个：那是分头之前的 norm")},
             {count_answer(n.B * n.S * n.k), prose("that is k_norm's count", "这是 k_norm 的个数")},
             {count_answer(n.D), prose("so many weights it has, and so many numbers go into one RMS",
                                       "这是它的参数个数，也是每个均方根覆盖的元素个数")}},
            {prose("It comes after the view: each head of each token is a vector of its own.",
                   "它在 view 之后：每个 token 的每个头各是一个向量。"),
             prose("B · S · h", "B · S · h"), prose("{B} · {S} · {h}", "{B} · {S} · {h}")},
            prose("B · S · h = {B} · {S} · {h} = {right}", "B · S · h = {B} · {S} · {h} = {right}")};
}

Item norm_axis(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    return {"q_norm_axis",
            {"along which axis of [B, S, h, D] does q_norm take its mean?", "q_norm 沿 [B, S, h, D] 的哪个轴取平均？"},
            word_answer({"D", "last", "-1", "3", "head_dim", "最后一个", "最后一维"}),
            {{word_answer({"h", "2", "-2", "heads"}), prose("heads do not see each other", "头与头互不相干")},
             {word_answer({"H", "hidden_size"}),
              prose("that is input_layernorm; the heads are split already", "那是 input_layernorm；这里已经分头了")},
             {word_answer({"S", "1", "-3"}), prose("positions never meet in a norm", "norm 不会把不同位置混在一起")}},
            {prose("Its weight has {D} numbers.", "它的 weight 有 {D} 个数。"),
             prose("mean over the last axis", "沿最后一个轴取平均"), prose("{D} numbers a mean", "每次平均 {D} 个数")},
            prose("Along D, the last axis: {D} numbers each.", "沿最后一个轴 D，每次 {D} 个数。")};
}

Item unturned_position(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    const Words question = {"which position of this pass does RoPE leave as it is (none is an answer, too)?",
                            "这次计算里，RoPE 不改变哪个位置（也可能没有）？"};
    const Answer first = word_answer({"0", "position 0", "first", "位置0", "第一个", "第0个"});
    const Answer none = word_answer({"none", "no", "no position", "没有", "无", "都不"});
    if (n.P == 0) {
        return {
            "q_rope",
            question,
            first,
            {{none, prose("at position 0 every angle is 0: cos 1, sin 0", "位置 0 的角度都是 0：cos 为 1，sin 为 0")}},
            {prose("The angle grows with the position.", "角度与位置成正比。"),
             prose("angle = t · f_i", "角度 = t · f_i"), prose("t = 0, 1, ... here", "这里 t = 0、1、……")},
            prose("Position 0: all angles are 0 · f_i = 0.", "位置 0：角度都是 0 · f_i = 0。")};
    }
    return {"q_rope",
            question,
            none,
            {{first, prose("position 0 is in the cache; the first position of this pass is {P}",
                           "位置 0 在缓存里；这次计算的第一个位置是 {P}")}},
            {prose("The tables are sliced from start_pos.", "表从 start_pos 处切起。"), prose("t = P + s", "t = P + s"),
             prose("t = {P}, ...", "t = {P}、……")},
            prose("None: the positions begin at {P}, and only at 0 all angles are 0.",
                  "没有：位置从 {P} 开始，只有位置 0 的角度全是 0。")};
}

Item turned_length(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    return {"q_rope_length",
            {"does RoPE change the length of a head?", "RoPE 会改变一个头（向量）的长度吗？"},
            no(),
            {{yes(), prose("a rotation keeps lengths: each pair turns, its radius stays",
                           "旋转不改变长度：每一对只转动，半径不变")}},
            {prose("Each pair (x[i], x[i + D/2]) is turned by an angle.", "每一对 (x[i], x[i + D/2]) 转过一个角度。"),
             prose("cos² + sin² = 1", "cos² + sin² = 1"), prose("D/2 pairs of {D} numbers", "{D} 个数共 D/2 对")},
            prose("No: cos² + sin² = 1, so the squares of each pair add up to the same.",
                  "不会：cos² + sin² = 1，每一对的平方和不变。")};
}

Item cache_shape(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    return {
        "k_cache",
        prose("{P} positions are cached: what is the shape of k_cache?",
              "已缓存 {P} 个位置，k_cache 的 shape 是什么？"),
        shape_answer({n.B, n.T, n.k, n.D}),
        {{shape_answer({n.B, n.S, n.k, n.D}), prose("that are the new keys alone: they are appended, the old ones stay",
                                                    "这只是新的 key：新的接在后面，旧的还在")},
         {shape_answer({n.B, n.T, n.h, n.D}),
          prose("that would store each KV head {h} / {k} times; the repeat comes after",
                "这样每个 KV 头要存 {h} / {k} 份；重复是在后面做的")},
         {shape_answer({n.B, n.k, n.T, n.D}),
          prose("MiniMind caches before the transpose", "MiniMind 在转置之前缓存")}},
        {prose("The old keys, then the new ones.", "先是旧的 key，再是新的。"),
         prose("[B, P + S, k, D]", "[B, P + S, k, D]"), prose("P + S = {P} + {S}", "P + S = {P} + {S}")},
        prose("[{B}, {P} + {S}, {k}, {D}]", "[{B}, {P} + {S}, {k}, {D}]")};
}

}  // namespace

std::vector<Item> projection_questions(const QuestionSizes& n, Point point) {
    switch (point) {
        case Point::k_proj:
            return {k_width(n)};
        case Point::q:
            return {q_view(n), q_bytes(n)};
        case Point::q_norm:
            return {norm_count(n), norm_axis(n)};
        case Point::q_rope:
            return {unturned_position(n), turned_length(n)};
        case Point::k_cache:
            return {cache_shape(n)};
        default:
            return {};
    }
}

}  // namespace minimind
