#include "trace_loss_shift/explanations.hpp"

#include <fmt/format.h>

#include <cmath>

namespace minimind {

namespace {

const Words loss_words = {
    "The loss is the mean over the {counted} of {pairs} positions that count, and both ways to get it agree but for "
    "rounding. Guessing, with one score for all {V} tokens, would cost ln({V}) = {guess}: a fresh model is near that.",
    "{pairs} 个位置中有 {counted} 个计入，loss 是它们的平均；两种算法的结果只差舍入误差。如果给全部 {V} 个 token "
    "同样的分数，也就是瞎猜，loss 是 ln({V}) = {guess}：刚初始化的模型就在这附近。"};

const Words no_loss_words = {
    "None of the {pairs} positions counts: every label is -100, and the mean of nothing is 0 / 0, which is NaN. "
    "PyTorch's gradients are 0 then and spoil no weight, but every mean of losses that takes this one in is NaN.",
    "{pairs} 个位置一个也不计入：label 全是 -100，对空集求平均就是 0 / 0，得到 NaN。PyTorch 这时给出的梯度是 0，权重不"
    "会坏；但把它算进去的 loss 平均值，从此都是 NaN。"};

}  // namespace

Explanations explain_loss_shift(const ModelConfig& config, Batch batch, std::int64_t counted) {
    const Explanations texts = {
        {"Pretrain Source",
         {"A text to be learnt whole. bos and eos are put around its ids, and padding fills them up to {S}.",
          "一段要整篇学习的文本。它的 id 前后加上 bos 和 eos，再用 padding 补到 {S} 个。"}},
        {"SFT Source",
         {"A chat as the template writes it. Everything is read, but only what stands in the assistant's turns is "
          "learnt; the ids are cut or padded to {S}.",
          "按模板写成的一段对话。模型全都读，但只学 assistant 各轮说的话；id 截断或用 padding 补到 {S} 个。"}},
        {"Shapes",
         {"One position is lost: the last logits have no label after them, and the first label has no logits before "
          "it. {S} positions make {pairs} pairs.",
          "少了一个位置：最后一个 logits 后面没有 label，第一个 label 前面没有 logits。{S} 个位置配成 {pairs} 对。"}},
        {"Loss", counted > 0 ? loss_words : no_loss_words},
        {"Shift Alignment",
         {"Read a row from left to right: the logits at t, which have seen the ids up to t, are scored against the "
          "label at t + 1. Where participates is True, that label is the input id one row below.",
          "从左往右读一行：位置 t 的 logits 看过 0 到 t 的 id，和 t + 1 处的 label 比较。participates 为 True 的行，"
          "label 正是下一行的输入 id。"}},
        {"Note",
         {"The model does the shift: labels come to it side by side with input_ids. Shift them yourself as well, and "
          "it learns to predict the token after the next.",
          "错位由模型内部完成：labels 与 input_ids 对齐传入。如果自己再错一位，模型学的就是预测下下个 token 了。"}},
    };
    Blanks blanks = size_blanks(config, batch);
    blanks["pairs"] = std::to_string(batch.seq - 1);
    blanks["counted"] = std::to_string(counted);
    blanks["guess"] = fmt::format("{:.4f}", std::log(static_cast<double>(config.vocab_size)));
    return all_filled(texts, blanks);
}

}  // namespace minimind
