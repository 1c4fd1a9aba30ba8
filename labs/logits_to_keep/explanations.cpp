#include "logits_to_keep/explanations.hpp"

#include "core/text.hpp"

namespace minimind {

Explanations explain_logits_to_keep(const ModelConfig& config, Batch batch) {
    const Explanations texts = {
        {"Input",
         {"The head scores hidden states against {V} rows. To choose the next token only the scores of the last "
          "position are read; logits_to_keep = n leaves out the others before the head, with hidden_states[:, -n:, "
          ":]. 0 means all, since in Python -0 is 0.",
          "lm_head 要拿 hidden state 与 {V} 行逐一做点积。选下一个 token 只看最后一个位置的分数；logits_to_keep = n "
          "在进 lm_head 之前用 hidden_states[:, -n:, :] 把其余位置去掉。0 表示全部，因为 Python 里 -0 就是 0。"}},
        {"The Same Numbers",
         {"The logits of a position come from its own hidden state alone, so leaving out others does not change "
          "them. A matrix product of another size may sum in another order: then the last digits differ, by "
          "rounding only.",
          "一个位置的 logits 只由它自己的 hidden state 算出，去掉别的位置不影响它。矩阵乘的尺寸变了，求和顺序可能跟"
          "着变，末尾几位会有舍入误差，仅此而已。"}},
        {"Which Stages Get Smaller",
         {"Every stage of both passes was compared. The blocks compute all positions either way: the last one "
          "attends to the keys and values of all before it, in every layer. The KV cache is as long, too.",
          "两次前向的每个阶段都比较过。block 无论如何都要算全部位置：最后一个位置在每一层都要用到前面所有位置的 K "
          "和 V。KV cache 也一样长。"}},
        {"What It Saves",
         {"The saving is multiply-adds of lm_head, V * H = {VH} a position, and the bytes of its output. Everything "
          "else stays. Attention is counted with its full square here.",
          "省下的是 lm_head 的乘加（每个位置 V * H = {VH} 次）以及输出的字节数，其余一概不变。这里注意力按完整的方阵"
          "计。"}},
        {"By Length",
         {"At one token, as in a decode step with a cache, there is nothing to leave out. With the length the bytes "
          "of the logits grow, and are saved; the share of the work falls again where attention's square outgrows "
          "the rest.",
          "只有一个 token 时（带 cache 的 decode 一步就是这样），没有可省的。长度越大，省下的 logits 字节越多；但注意"
          "力的平方项超过其他部分之后，省下的计算占比又会下降。"}},
        {"Who Reads Which Logits",
         {"Training needs the logits of every position that has a label after it, so it keeps all. In generation "
          "the pass over the prompt computes positions that nobody reads, and so does every pass without a cache. "
          "MiniMind's generate does not pass logits_to_keep and computes their logits, too; this engine's passes 1.",
          "训练时，只要后面有 label，该位置的 logits 就要用到，所以要全部保留。生成时，处理 prompt 的那次前向里有很"
          "多位置的 logits 没人读，不用 cache 时每一步都是如此。MiniMind 的 generate 没有传 logits_to_keep，照样全"
          "算；本引擎的 generate 传了 1。"}},
    };
    Blanks blanks = size_blanks(config, batch);
    blanks["VH"] = with_commas(config.vocab_size * config.hidden_size);
    return all_filled(texts, blanks);
}

}  // namespace minimind
