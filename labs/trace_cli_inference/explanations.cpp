#include "trace_cli_inference/explanations.hpp"

namespace minimind {

namespace {

const Words trained_answer = {
    "Each new id is the one with the highest score (greedy); it is appended and the model runs again, until eos comes "
    "or --max_new_tokens are there. generated_ids holds the prompt, too.",
    "每个新 id 都是得分最高的那个（greedy）；把它接到后面再运行一次模型，直到出现 eos 或达到 --max_new_tokens。"
    "generated_ids 里也包含 prompt。"};

const Words fresh_answer = {
    "Each new id is the one with the highest score (greedy); it is appended and the model runs again, until eos comes "
    "or --max_new_tokens are there. These weights are random and have learnt nothing, so look at the loop, not at the "
    "words.",
    "每个新 id 都是得分最高的那个（greedy）；把它接到后面再运行一次模型，直到出现 eos 或达到 --max_new_tokens。"
    "这里的权重是随机的，什么也没学过：看的是这个循环，不是它说了什么。"};

}  // namespace

Explanations explain_cli_inference(const ModelConfig& config, Batch batch, bool is_fresh) {
    const Explanations texts = {
        {"Prompt",
         {"The question is only a part of what the model reads: the chat template puts the roles around it and opens "
          "the assistant's turn, which the model then goes on with.",
          "模型读到的不只是问题：对话模板在它前后加上角色标记，再替 assistant 开个头，模型要做的就是接着写下去。"}},
        {"Encoded",
         {"One row of {S} ids. The mask has a 1 for each of them: a single row needs no padding, so nothing is hidden.",
          "一行 {S} 个 id。mask 里每个 id 对应一个 1：只有一行，不需要 padding，也就没有要遮住的位置。"}},
        {"Forward",
         {"One pass scores all {V} tokens at each of the {S positions}. Only the scores of the last position are used: "
          "it alone has seen the whole prompt, and it predicts what is not there yet.",
          "一次前向在 {S} 个位置上各给 {V} 个 token 打分，但只用最后一个位置的分数：只有它看过整个 prompt，"
          "它预测的才是还不存在的 token。"}},
        {"Generate", is_fresh ? fresh_answer : trained_answer},
        {"Note",
         {"In training it is the other way round: the scores of every position are compared with the token that "
          "follows there (trace_loss_shift).",
          "训练时正相反：每个位置的分数都要和它后面那个已知的 token 比较（见 trace_loss_shift）。"}},
    };
    return all_filled(texts, size_blanks(config, batch));
}

}  // namespace minimind
