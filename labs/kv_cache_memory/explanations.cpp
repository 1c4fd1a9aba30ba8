#include "kv_cache_memory/explanations.hpp"

#include <fmt/format.h>

namespace minimind {

namespace {

const Words shared_heads = {
    "Every layer keeps K and V of a token: k heads of {D} numbers each, after QK-norm and RoPE, before the heads "
    "are repeated. In this model {n_rep} query heads share one key/value head, so it keeps 1/{n_rep} of what MHA "
    "would. What is kept need not be computed again, but every new token reads all of it.",
    "每一层都保存每个 token 的 K 和 V：各 k 个头，每个头 {D} 个数，已做过 QK-norm 和 RoPE，尚未按 query 头重复。这"
    "个模型每 {n_rep} 个 query 头共用一个 KV 头，所以只存 MHA 的 1/{n_rep}。存下来的不必重算，但每生成一个 token 都"
    "要把它们全部读一遍。"};

const Words own_heads = {
    "Every layer keeps K and V of a token: k heads of {D} numbers each, after QK-norm and RoPE, before the heads "
    "are repeated. In this model each of the {h heads} has a key/value head of its own: it is MHA. What is kept "
    "need not be computed again, but every new token reads all of it.",
    "每一层都保存每个 token 的 K 和 V：各 k 个头，每个头 {D} 个数，已做过 QK-norm 和 RoPE，尚未按 query 头重复。这"
    "个模型的 {h} 个 query 头各有自己的 KV 头，就是 MHA。存下来的不必重算，但每生成一个 token 都要把它们全部读一"
    "遍。"};

}  // namespace

Explanations explain_kv_cache_memory(const ModelConfig& config, std::int64_t batch_size, const std::string& dtype) {
    const Explanations texts = {
        {"One Token", config.heads_per_kv_head() > 1 ? shared_heads : own_heads},
        {"Config",
         {"What the size of a cache depends on: layers, key/value heads, head_dim, rows, and the bytes of a number. "
          "Query heads, hidden_size, the MLP and the vocabulary do not matter.",
          "cache 的大小只取决于层数、KV 头数、head_dim、行数和每个数的字节数；query 头数、hidden_size、MLP 和词表都"
          "不影响它。"}},
        {"By Length",
         {"A cache grows by the same bytes with each token and each row, here {rows}; weights do not grow. That is "
          "why long texts and many users at once are what the number of key/value heads is chosen for.",
          "每多一个 token、每多一行（这里是 {zh rows}），cache 就增加同样多的字节，而权重不变。所以 KV 头数主要是为"
          "长文本和多用户并发而选的。"}},
        {"Against The Weights",
         {"From this length on the cache is larger than the weights. Both are counted in {dtype}: fp16 and bf16 "
          "take half of what fp32 takes, of the one as of the other, and the length stays the same.",
          "从这个长度起，cache 比权重还大。两者都按 {dtype} 计：换成 fp16 或 bf16，两者都是 fp32 的一半，这个长度不"
          "变。"}},
        {"The Engine's Own Cache, In fp32",
         {"The formula holds for what is in use. What is allocated can be more: when the room is full the engine "
          "doubles it, so that on average a token is copied once, however long the text gets.",
          "公式说的是实际使用的字节。分配的可能更多：空间用完时引擎把容量翻倍，这样无论文本多长，平均每个 token 只搬"
          "一次。"}},
    };
    Blanks blanks = size_blanks(config, {batch_size, 1});
    blanks["dtype"] = dtype;
    blanks["rows"] = counted(batch_size, "row");
    blanks["zh rows"] = fmt::format("{} 行", batch_size);
    return all_filled(texts, blanks);
}

}  // namespace minimind
