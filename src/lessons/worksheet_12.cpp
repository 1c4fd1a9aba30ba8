// Worksheet of lesson 12: rotary positions, and the cache of keys and values.
#include "lessons/prose.hpp"

namespace minimind {

namespace {

Item turned_positions(const Sizes& sizes, const Prose& prose) {
    return {"turned_positions",
            {"at how many of the S positions RoPE changes q, without a cache",
             "没有 KV cache 时，RoPE 在 S 个位置中改变几个位置的 q"},
            count_answer(sizes.batch.seq - 1),
            {{count_answer(sizes.batch.seq), prose("at position 0 all angles are 0: cos 1, sin 0, nothing turns",
                                                   "位置 0 的角度全是 0：cos 为 1，sin 为 0，不旋转")},
             {count_answer(0), prose("shape and length stay, the direction does not", "shape 和长度不变，方向会变")}},
            {prose("Positions are counted from 0, and the angle grows with the position.",
                   "位置从 0 数起，角度与位置成正比。"),
             prose("Pair i turns by t · f_i at position t.", "位置 t 上，第 i 对转过 t · f_i。"),
             prose("t = 0, 1, ... up to {last}.", "t = 0, 1, ……，直到 {last}。")},
            prose("All but position 0: {S} - 1 = {last}.", "除位置 0 外的全部：{S} - 1 = {last}。")};
}

Item rope_angles(const Sizes& sizes, const Prose& prose) {
    const ModelConfig& config = sizes.config;
    return {
        "rope_angles",
        {"how many different angles one position has", "一个位置有多少个不同的角度"},
        count_answer(config.head_dim / 2),
        {{count_answer(config.head_dim),
          prose("the tables are {D} wide, but each angle stands there twice", "表宽 {D}，但每个角度存了两遍")},
         {count_answer(config.hidden_size / 2),
          prose("that is half the stream's width, as for the sines that were added in 2017; RoPE turns heads of {D}",
                "这是残差流宽度的一半，2017 年相加的正弦编码才是这样；RoPE 旋转的是宽 {D} 的头")},
         {count_answer(config.q_size() / 2),
          prose("all {h} heads turn by the same angles", "{h} 个头用的是同一组角度")}},
        {prose("Two numbers make a pair, and a pair has one angle.", "两个数为一对，一对一个角度。"),
         prose("head_dim / 2", "head_dim / 2"), prose("{D} / 2", "{D} / 2")},
        prose("Pair i is (x[i], x[i + D/2]), i < D/2: {D} / 2 = {half}.",
              "第 i 对是 (x[i], x[i + D/2])，i < D/2：{D} / 2 = {half}。")};
}

Item shifted_scores(const Sizes& sizes, const Prose& prose) {
    const std::int64_t S = sizes.batch.seq;
    return {
        "shifted_scores",
        {"100 is added to every position: how many of a head's S x S scores change, beyond rounding",
         "所有位置都加 100：一个头的 S x S 个分数中有几个改变（不计舍入误差）"},
        count_answer(0),
        {{count_answer(S * S), prose("every q and k does change, but both turn further by the same angle",
                                     "每个 q 和 k 确实都变了，但两者多转了同样的角度")},
         {count_answer(S * S - S), prose("off the diagonal, too, only the distance of the two positions counts",
                                         "对角线以外也一样，起作用的只是两个位置的距离")}},
        {prose("Turn both hands of a clock by the same angle: what stays?", "把钟的两根指针转过同样的角度，什么不变？"),
         prose("The score of query m and key n depends on n - m only.", "query m 与 key n 的分数只取决于 n - m。"),
         prose("(n + 100) - (m + 100) = n - m", "(n + 100) - (m + 100) = n - m")},
        prose("All distances stay, so all {S} · {S} scores stay: 0.", "距离都没变，{S} · {S} 个分数也都不变：0 个。")};
}

Item saved_tables(const Sizes& sizes, Prose prose) {
    const std::int64_t one = sizes.config.max_position_embeddings * sizes.config.head_dim;
    prose.set("positions", sizes.config.max_position_embeddings);
    return {"saved_tables",
            {"how many numbers of the cos and sin tables a saved checkpoint holds",
             "保存的 checkpoint 里有多少个 cos、sin 表里的数"},
            count_answer(0),
            {{count_answer(2 * one),
              prose("so many the reference has in memory; as buffers with persistent=False they are in no state_dict",
                    "参考实现的内存里有这么多；它们是 persistent=False 的 buffer，不进 state_dict")},
             {count_answer(one), prose("that is one of the two tables in memory; a file holds neither",
                                       "这是内存中两张表之一的大小；文件里一张也没有")}},
            {prose("What follows from the config need not be stored.", "由配置就能算出来的东西不必保存。"),
             prose("register_buffer(name, table, persistent=False)", "register_buffer(name, table, persistent=False)"),
             prose("2 · {positions} · {D} numbers in memory; and in the file?",
                   "内存里有 2 · {positions} · {D} 个数；文件里呢？")},
            prose("None. They are computed anew from max_position_embeddings, head_dim, rope_theta and the scaling.",
                  "一个也没有：每次由 max_position_embeddings、head_dim、rope_theta 和缩放方式重新计算。")};
}

Item step_position(const Sizes& sizes, const Prose& prose) {
    return {"step_position",
            {"S - 1 tokens are cached and the last one comes alone: the position by which it is turned",
             "已缓存 S - 1 个 token，最后一个单独输入：它按哪个位置旋转"},
            count_answer(sizes.batch.seq - 1),
            {{count_answer(0), prose("row 0 of this call, to which start_pos is added: the length of the cache",
                                     "它是这次调用的第 0 行，但还要加上 start_pos，即 cache 的长度")},
             {count_answer(sizes.batch.seq), prose("positions are counted from 0", "位置从 0 数起")}},
            {prose("A token's place in the text does not depend on the call that computes it.",
                   "token 在文本中的位置，与它在哪次调用里计算无关。"),
             prose("start_pos + s, and start_pos is the cached length.", "start_pos + s，start_pos 是 cache 的长度。"),
             prose("start_pos = {last}, s = 0.", "start_pos = {last}，s = 0。")},
            prose("{last} + 0 = {last}.", "{last} + 0 = {last}。")};
}

Item cache_shape(const Sizes& sizes, Prose prose) {
    const auto [B, S] = sizes.batch;
    const std::int64_t k = sizes.config.num_key_value_heads;
    const std::int64_t D = sizes.config.head_dim;
    prose.set("right", shape_text({B, S, k, D}));
    return {"cache_shape",
            {"shape of the cached k of one layer after such a step (S - 1 tokens cached, one new)",
             "已缓存 S - 1 个 token，新来 1 个：这一步之后，一层的 KV cache 里 k 的 shape"},
            shape_answer({B, S, k, D}),
            {{shape_answer({B, 1, k, D}), prose("the new key goes behind the old ones, it does not replace them",
                                                "新的 key 接在旧的后面，不是替换")},
             {shape_answer({B, S, sizes.config.num_attention_heads, D}),
              prose("that keeps every KV head several times; the repeat comes after the cache",
                    "这样每个 KV 头存了好几份；重复是从 cache 取出之后才做的")},
             {shape_answer({B, k, S, D}), prose("attention reads that order, but MiniMind caches before the transpose",
                                                "注意力按这个顺序读，但 MiniMind 在转置之前就缓存了")}},
            {prose("One key for each token so far and each KV head.", "至今每个 token、每个 KV 头各一个 key。"),
             prose("[B, P + S_new, k, D]", "[B, P + S_new, k, D]"),
             prose("P = {last} and one new token, {k} KV heads of {D}.",
                   "P = {last}，新增 1 个 token；{k} 个 KV 头，每头 {D}。")},
            prose("[B, {last} + 1, k, D] = {right}.", "[B, {last} + 1, k, D] = {right}。")};
}

Item step_scores(const Sizes& sizes, Prose prose) {
    const auto [B, S] = sizes.batch;
    const std::int64_t h = sizes.config.num_attention_heads;
    prose.set("right", shape_text({B, h, 1, S}));
    return {"step_scores",
            {"shape of `scores` in such a step (S - 1 tokens cached, one new)",
             "已缓存 S - 1 个 token，新来 1 个：这一步中 `scores` 的 shape"},
            shape_answer({B, h, 1, S}),
            {{shape_answer({B, h, S, S}), prose("that computes the whole row again; only one query is new",
                                                "那是把整行重算一遍；新的 query 只有一个")},
             {shape_answer({B, h, 1, 1}),
              prose("the new query looks at the cached keys, too", "新的 query 也要看 cache 里的 key")},
             {shape_answer({B, sizes.config.num_key_value_heads, 1, S}),
              prose("each of the {h} query heads has scores of its own; the KV heads are repeated for that",
                    "{h} 个 query 头各有自己的分数；KV 头为此重复")}},
            {prose("Queries are those of the new tokens, keys those of all.",
                   "query 只有新 token 的，key 是全部 token 的。"),
             prose("[B, h, S_new, P + S_new]", "[B, h, S_new, P + S_new]"),
             prose("S_new = 1, P = {last}.", "S_new = 1，P = {last}。")},
            prose("[B, h, 1, {last} + 1] = {right}.", "[B, h, 1, {last} + 1] = {right}。")};
}

Item cache_total(const Sizes& sizes, Prose prose) {
    const std::int64_t layers = sizes.config.num_hidden_layers;
    const std::int64_t one = sizes.batch.tokens() * sizes.config.kv_size() * 4;  // k of one layer
    prose.set("right", 2 * layers * one);
    return {"cache_bytes",
            {"bytes of the whole cache when it holds S tokens a row, in float32",
             "每行缓存 S 个 token 时，整个 KV cache 在 float32 下占多少字节"},
            bytes_answer(2 * layers * one),
            {{bytes_answer(layers * one),
              prose("those are the keys; the values are kept, too", "这只是 key，value 也要存")},
             {bytes_answer(2 * one), prose("that is one layer; each of the {L} has keys and values of its own",
                                           "这只是一层；{L} 层各有自己的 key 和 value")},
             {bytes_answer(2 * layers * sizes.batch.tokens() * sizes.config.q_size() * 4),
              prose("that is multi-head attention; the cache keeps {k} heads, not {h}",
                    "那是 MHA；cache 只存 {k} 个头，不是 {h} 个")}},
            {prose("Two tensors a layer, and a float32 has 4 bytes.", "每层两个张量，一个 float32 占 4 字节。"),
             prose("2 · L · B · S · k · D · 4", "2 · L · B · S · k · D · 4"),
             prose("2 · {L} · {B} · {S} · {k} · {D} · 4", "2 · {L} · {B} · {S} · {k} · {D} · 4")},
            prose("2 · {L} · {B} · {S} · {k} · {D} · 4 = {right}.", "2 · {L} · {B} · {S} · {k} · {D} · 4 = {right}。")};
}

}  // namespace

std::vector<Item> worksheet_12(const Sizes& sizes) {
    Prose prose(sizes);
    prose.set("last", sizes.batch.seq - 1);
    prose.set("half", sizes.config.head_dim / 2);
    return {turned_positions(sizes, prose), rope_angles(sizes, prose),   shifted_scores(sizes, prose),
            saved_tables(sizes, prose),     step_position(sizes, prose), cache_shape(sizes, prose),
            step_scores(sizes, prose),      cache_total(sizes, prose)};
}

}  // namespace minimind
