#include "rope_yarn/explanations.hpp"

#include <fmt/format.h>

namespace minimind {

Explanations explain_rope_yarn(const ModelConfig& config) {
    const RopeScaling& yarn = config.rope_scaling;
    Blanks blanks = size_blanks(config, {1, 1});
    blanks["pairs"] = fmt::format("{}", config.head_dim / 2);
    blanks["original"] = fmt::format("{}", yarn.original_max_position_embeddings);
    blanks["factor"] = fmt::format("{:g}", yarn.factor);
    blanks["fast"] = fmt::format("{:g}", yarn.beta_fast);
    blanks["slow"] = fmt::format("{:g}", yarn.beta_slow);
    const Explanations texts = {
        {"Config",
         {"A head of {D} numbers is {pairs} pairs, (x[i], x[i + {pairs}]), and each pair turns at a frequency of "
          "its own. YaRN is switched on by inference_rope_scaling, and acts only where max_position_embeddings is "
          "more than the {original} positions of the training.",
          "一个头的 {D} 个数分成 {pairs} 对 (x[i], x[i + {pairs}])，每一对按自己的频率旋转。YaRN 由 "
          "inference_rope_scaling 打开，而且只有 max_position_embeddings 超过训练时的 {original} 个位置才起作用。"}},
        {"Frequencies",
         {"Pair i turns by f_i = theta^(-2i/D) with each position and is back after 2 pi / f_i of them. A pair that "
          "makes more than {fast} turns in {original} positions has met all its angles in training and is left "
          "alone; one that makes less than {slow} would meet new ones, so YaRN makes it {factor} times slower; the "
          "ramp leads from the first to the second.",
          "每走一个位置，第 i 对转过 f_i = theta^(-2i/D)，每 2 pi / f_i 个位置转满一圈。在 {original} 个位置里转了 "
          "{fast} 圈以上的，训练时各种角度都见过，保持不动；不到 {slow} 圈的会遇到没见过的角度，YaRN 把它放慢到 "
          "1/{factor}；中间的按 ramp 过渡。"}},
        {"Similarity Against Distance",
         {"One vector as query and key, all its pairs equally long, so that the score is the mean of cos(d f_i). It "
          "falls with the distance, but not evenly: the fast pairs tell near positions apart, the slow ones far "
          "ones. With YaRN the slow pairs see a distance as if it were {factor} times shorter.",
          "同一个向量既当 query 又当 key，每一对长度相等，点积就是 cos(d f_i) 的平均。它随距离下降，但并不均匀：快的"
          "对分辨近处，慢的对分辨远处。打开 YaRN 后，慢的对看到的距离只有实际的 1/{factor}。"}},
        {"A Shift Of All Positions",
         {"A score depends on the difference of two positions, so moving all tokens by N changes nothing: in "
          "float64 only the rounding of the last digits is left. In float32 the angle t * f_i is itself rounded, "
          "more coarsely the larger t is, and this noise grows with N. Moving only the keys changes the distances, "
          "and the scores with them.",
          "点积只取决于两个位置之差，所以全部 token 一起平移 N，分数不变：用 float64 算，只剩末尾几位的舍入误差。用 "
          "float32 时，角度 t * f_i 本身就要舍入，t 越大舍入越粗，噪声随 N 增大。只移动 key，距离变了，分数也跟着"
          "变。"}},
        {"Tables",
         {"The reference computes cos and sin of all {max_pos} positions when it builds the model. The {pairs} "
          "angles of a row stand twice in it, so half of the tables is repetition. They follow from the config and "
          "are buffers, not parameters; this engine makes only the rows in use.",
          "参考实现建模型时就把 {max_pos} 个位置的 cos 和 sin 全部算好。每行的 {pairs} 个角度写了两遍，所以表有一半"
          "是重复的。它们由 config 决定，是 buffer 而不是参数；本引擎只生成用到的行。"}},
    };
    return all_filled(texts, blanks);
}

}  // namespace minimind
