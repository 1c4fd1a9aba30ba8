#include "trace_rope_kv_cache/explanations.hpp"

#include "core/text.hpp"

namespace minimind {

Explanations explain_rope_kv_cache(const ModelConfig& config, Batch batch) {
    const Explanations texts = {
        {"Config",
         {"RoPE needs three of these: head_dim {D} makes {pairs} of numbers to turn, rope_theta says how slowly the "
          "last of them turn, and max_position_embeddings how many positions the table has.",
          "RoPE 只用到其中三个：head_dim 为 {D}，共有 {p} 对数要旋转；rope_theta 决定靠后的那些对转得多慢；"
          "max_position_embeddings 是表里的位置数。"}},
        {"RoPE Table",
         {"A row for each of {max_pos} positions, {D} wide because the {p} angles stand twice. It follows from the "
          "config: nothing in it is trained or saved, and the model's table is the one made by hand.",
          "{max_pos} 个位置各占一行；宽度为 {D}，因为 {p} 个角度各写两遍。整张表由配置算出，不训练也不保存，模型里的表"
          "和手工算的是同一张。"}},
        {"Apply RoPE",
         {"The shapes stay, the numbers change, but not at position 0, where every angle is 0. A rotation keeps "
          "lengths: no head gets longer or shorter.",
          "shape 不变，数值变了；只有位置 0 不变，那里的角度都是 0。旋转保持长度，任何一个头都不会变长或变短。"}},
        {"KV Cache Growth",
         {"Axis 1, the positions, grows from {prefix} to {S}: one more for the one token of the step. What is kept are "
          "the {k heads}, not yet repeated for the {h heads} and already turned: an old key is never touched again.",
          "第 1 轴（位置）从 {prefix} 增长到 {S}：这一步只有一个 token，所以只多一个。缓存的是 {k} 个 KV 头，还没有为 "
          "{h} 个 query 头重复，但已经旋转过：旧的 key 不会再动。"}},
        {"Full Forward vs Incremental Cache Forward",
         {"full_logits come from all {S} tokens at once, step_logits from the last token alone on the cache of "
          "{prefix}. Causal attention lets no token change those before it, so the two agree but for rounding.",
          "full_logits 由 {S} 个 token 一次算出，step_logits 只算最后一个 token，其余 {prefix} 个来自 KV cache。"
          "因果注意力里后面的 token 不会影响前面的，所以两者只差舍入误差。"}},
        {"Generate With Cache vs Without Cache",
         {"Without the cache each step computes all tokens so far again, with it only the newest. The logits are the "
          "same but for rounding, and so are the ids that have the largest.",
          "没有 KV cache 时，每一步都要把到目前为止的所有 token 重算一遍；有 cache 时只算最新的一个。logits 只差舍入误"
          "差，选出的最大者也就相同。"}},
        {"Reading Rule",
         {"The price is memory. A cached token takes 2 (k and v) x {L layers} x {kD} numbers, {bytes} bytes in "
          "float32.",
          "代价是内存：缓存一个 token 需要 2（k 和 v）× {L} 层 × {kD} 个数，float32 下是 {bytes} 字节。"}},
    };
    constexpr std::int64_t bytes_per_float = 4;
    Blanks blanks = size_blanks(config, batch);
    blanks["p"] = std::to_string(config.head_dim / 2);
    blanks["pairs"] = counted(config.head_dim / 2, "pair");
    blanks["prefix"] = std::to_string(batch.seq - 1);
    blanks["L layers"] = counted(config.num_hidden_layers, "layer");
    blanks["bytes"] = with_commas(2 * config.num_hidden_layers * config.kv_size() * bytes_per_float);
    return all_filled(texts, blanks);
}

}  // namespace minimind
