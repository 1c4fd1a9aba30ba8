#include "trace_ffn_moe/explanations.hpp"

namespace minimind {

namespace {

const Explanations dense_words = {
    {"Config",
     {"The MLP works on every token by itself: {B} x {S} vectors of {H} numbers, and nothing passes from one to the "
      "other.",
      "MLP 对每个 token 单独计算：{B} × {S} 个 {H} 维向量，彼此之间不传递任何信息。"}},
    {"Dense FFN",
     {"gate_proj and up_proj read the same normalised x, each with {I} x {H} weights; gated is act_fn times up_proj, "
      "number by number; down_proj brings {I} back to {H}. With fresh weights gate and up are small, and their product "
      "is smaller still.",
      "gate_proj 和 up_proj 读同一个归一化后的 x，各有 {I} × {H} 个权重；gated 是 act_fn 与 up_proj 逐元素相乘；"
      "down_proj 把 {I} 维压回 {H} 维。权重刚初始化时 gate 和 up 都很小，乘积就更小。"}},
    {"Gate",
     {"silu turns no number off: what was below 0 stays below 0, never under -0.2785, and what was above 0 stays above "
      "0 without a limit. So the gate is no switch between 0 and 1; it scales up_proj, and can turn its sign. relu "
      "sets every negative number to exactly 0 (--hidden_act relu).",
      "silu 不会把任何数关掉：小于 0 的仍小于 0，但不低于 -0.2785；大于 0 的仍大于 0，没有上限。所以它不是 0 与 1 之间"
      "的开关，而是在缩放 up_proj，还可能改变符号。relu 则把所有负数变成恰好 0（--hidden_act relu）。"}},
    {"FFN of 2017",
     {"Two matrices with relu between them, 4 x {H} wide, fresh weights of 0.02, on the same x. About half of the "
      "inner numbers are 0: they add nothing, and get no gradient.",
      "两个矩阵中间夹一个 relu，宽度 4 × {H}，权重按标准差 0.02 初始化，输入是同一个 x。中间约一半的数是 0：对输出没有"
      "贡献，也得不到梯度。"}},
    {"Widths",
     {"SwiGLU has three matrices of H x width, the network of 2017 two: at equal parameters SwiGLU is 8/3 H wide, "
      "since 3 x 8/3 = 2 x 4. pi H is wider than that, by 17.8 % before it is rounded up to a multiple of 64, the tile "
      "of a matrix unit: a choice, and no equal budget.",
      "多了第三个矩阵，参数要与 2017 年的持平，SwiGLU 的宽度应是 8/3 H，因为 3 × 8/3 = 2 × 4。pi H 比这更宽，在向上取整"
      "到 64 的倍数（矩阵单元的分块大小）之前就多 17.8 %：参数并不相等，这是一种选择。"}},
};

const Explanations experts_words = {
    {"Router",
     {"One matrix [{E}, {H}] gives each token {E} logits; their softmax are probabilities, and the token goes to the "
      "{K} largest. With norm_topk_prob the weights of the chosen are divided by their sum: for one choice the weight "
      "is then always 1, and the router can learn from the auxiliary loss only.",
      "一个 [{E}, {H}] 的矩阵给每个 token 算出 {E} 个 logits，softmax 得到概率，token 送往概率最大的 {K} 个专家。"
      "norm_topk_prob 会把选中专家的权重除以它们的和：只选一个时权重恒为 1，路由器就只能从辅助损失里学到东西。"}},
    {"Dispatch",
     {"The engine gathers the tokens of each expert, runs that expert once over all of them, and puts the results back "
      "with their weights; by hand it was done token by token. The loads add up to {K}, the mean probabilities to 1. A "
      "fresh router is not balanced: which expert gets what is chance.",
      "引擎把属于同一个专家的 token 收集起来，一次算完，再乘权重放回原位；手算则是逐个 token。load 之和是 {K}，mean "
      "prob 之和是 1。刚初始化的路由器并不均衡，谁分到多少全凭运气。"}},
    {"Auxiliary Loss",
     {"coef x {E} x the sum over experts of load x mean_prob: coef x {K} where all is even, more where the experts "
      "that get most tokens also have the highest probabilities. The load is a count and has no gradient; the loss "
      "pushes down the probabilities of crowded experts. It exists in training only, and the trainer adds it: it is "
      "not in the model's loss.",
      "coef × {E} ×（各专家 load × mean_prob 之和）：完全均衡时等于 coef × {K}，拥挤的专家概率也高时更大。load 是计数，"
      "没有梯度；这个损失压低的是拥挤专家的概率。它只在训练时存在，由训练脚本加上去，不包含在模型的 loss 里。"}},
    {"Parameters",
     {"All experts are stored, a token uses {K} of {E}: total and active. The router is the only thing that an MoE "
      "block has beyond its experts, {E} x {H} weights.",
      "{E} 个专家全都要存，一个 token 只用其中 {K} 个：这就是总参数量与激活参数量。除了专家，MoE block 只多出一个路由"
      "器，{E} × {H} 个权重。"}},
    {"Equal Experts",
     {"All experts replaced by copies of the first. A weighted sum of equal outputs is that output if the weights add "
      "up to 1, whatever the router chooses: the MoE is then the dense network. With --norm_topk_prob 0 the weights "
      "add up to less than 1, and the difference shows.",
      "把所有专家都换成第一个专家的副本。权重之和为 1 时，相同输出的加权和就是它本身，路由器怎么选都一样：MoE 就等于 "
      "dense 网络。用 --norm_topk_prob 0 时权重之和小于 1，差别就显出来了。"}},
};

}  // namespace

Explanations explain_ffn_moe(const ModelConfig& config, Batch batch) {
    Explanations texts = dense_words;
    texts.insert(experts_words.begin(), experts_words.end());
    return all_filled(std::move(texts), size_blanks(config, batch));
}

}  // namespace minimind
