#include "tied_embeddings/explanations.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace minimind {

namespace {

const Words own_rows_tied = {
    "Without blocks the state is the token's own row, normalised. Fresh rows are about equally long, and none "
    "agrees with it as well: its own logit is the largest, sqrt(H) times the row's length, near 0.02 * H = {own}. "
    "Each block adds something else to the stream: the more blocks, the less of the row is left, and the further "
    "back the token falls. A fresh tied model of few blocks leans towards repeating its input.",
    "没有 block 时，hidden state 就是该 token 自己那一行归一化的结果。刚初始化的各行长度相近，哪一行也不如它自己一"
    "致，所以它自己的 logit 最大，等于 sqrt(H) 乘以这一行的长度，接近 0.02 * H = {own}。每个 block 都往残差流里加入"
    "别的东西：层数越多，这一行剩下的份量越小，名次也越靠后。所以层数不多的共享模型刚初始化时偏向于复读输入。"};

const Words own_rows_untied = {
    "With a head of its own there is no such pull, with blocks or without: what the embedding leaves in the state "
    "has nothing to do with the token's row of the head, so that its rank is a matter of chance.",
    "lm_head 有自己的权重时，有没有 block 都没有这种倾向：嵌入留在 hidden state 里的成分，与 lm_head 中该 token 的"
    "那一行毫无关系，名次全凭运气。"};

}  // namespace

Explanations explain_tied_embeddings(const ModelConfig& config) {
    Blanks blanks = size_blanks(config, {1, 1});
    blanks["VH"] = with_commas(config.vocab_size * config.hidden_size);
    blanks["own"] = fmt::format("{:.1f}", 0.02 * static_cast<double>(config.hidden_size));
    const Explanations texts = {
        {"Way In: A Lookup Is One-Hot Times Table",
         {"embed_tokens copies row id of the table. A one-hot vector times the table gives the same row to the last "
          "bit, because every other term of each sum is 0. The product costs V * H = {VH} multiply-adds a token, "
          "the copy none.",
          "embed_tokens 只是复制表的第 id 行。用 one-hot 向量乘整张表，得到同一行，逐位相同，因为求和时其余各项都是 "
          "0。差别只在代价：乘法每个 token 要 V * H = {VH} 次乘加，复制一次也不用。"}},
        {"Way Out: A Logit Is A Dot Product With A Row",
         {"The logit of a token is the dot product of the hidden state with that token's row of lm_head.weight. "
          "Tied, this is the very row that the lookup copies, and the last two products are one number; untied, "
          "they have nothing to do with each other. The engine computes all {V} products in one call, and sums in "
          "another order: that is the difference.",
          "一个 token 的 logit，就是 hidden state 与 lm_head.weight 中该 token 那一行的点积。共享（tied）时，这正是"
          "查表复制出来的那一行，后两个点积是同一个数；不共享（untied）时，两者毫无关系。引擎一次算完全部 {V} 个点"
          "积，求和顺序不同，差异由此而来。"}},
        {"Which Token's Row Gives The Largest Logit", config.tie_word_embeddings ? own_rows_tied : own_rows_untied},
        {"The Same Seed, The Other Setting",
         {"The same model with tie_word_embeddings switched over. PyTorch draws a tied table twice, as embedding "
          "and at the end again as head, and the last draw stands: so it equals the untied model's head, and all "
          "other weights are equal, too. Only the embedding is another one.",
          "同一个模型，只把 tie_word_embeddings 换成另一个值。共享的表 PyTorch 会初始化两次：先作为嵌入，最后再作为 "
          "lm_head，以最后一次为准。因此它与不共享模型的 lm_head 逐位相同，其余权重也都相同，不同的只有嵌入表。"}},
        {"What Tying Saves",
         {"Tying saves one table of V * H parameters. `saved` is its share of the untied model, `share` the table's "
          "share of the tied one. The more the blocks hold, the less the table matters: with experts it matters "
          "less than in the dense model of the same width.",
          "共享省下一张 V * H 的表。saved 是它占不共享模型的比例，share 是这张表占共享模型的比例。block 里的参数越"
          "多，这张表就越不重要：同样宽度的 MoE 模型里，它的占比比 dense 模型更小。"}},
        {"What A File Holds",
         {"A safetensors file of a tied model holds the table once. A .pth written by the trainer holds it twice: "
          "in memory the two names share one storage until half() gives each a copy of its own, and torch.save then "
          "writes both. Only the tensors are counted here; headers and zip entries come on top.",
          "共享模型的 safetensors 文件里，表只有一份。训练脚本写出的 .pth 里有两份：内存中两个名字本来共用一块存储，"
          "half() 之后各有一份拷贝，torch.save 就把两份都写了进去。这里只算张量本身，文件头和 zip 条目另计。"}},
        {"This Checkpoint",
         {"A head that is in the file and equals the embedding is the tied table, written a second time.",
          "文件里有 lm_head.weight，而且与嵌入表相同：这就是共享的表被写了第二遍。"}},
    };
    return all_filled(texts, blanks);
}

}  // namespace minimind
