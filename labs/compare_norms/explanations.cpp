#include "compare_norms/explanations.hpp"

namespace minimind {

Explanations explain_norms(const ModelConfig& config, Batch batch) {
    const Explanations texts = {
        {"Input",
         {"{B} x {S} rows of {H} numbers; each is normalised by itself. Both norms have weight 1 and no bias here, so "
          "that nothing but the normalisation differs.",
          "{B} × {S} 行，每行 {H} 个数，逐行归一化。这里两种 norm 的 weight 都是 1，也没有 bias，差别只来自归一化本"
          "身。"}},
        {"One Row",
         {"RMSNorm divides by the root mean square. LayerNorm first subtracts the mean, then divides by the standard "
          "deviation. While the mean is near 0 the two do nearly the same.",
          "RMSNorm 直接除以均方根；LayerNorm 先减均值，再除以标准差。只要均值接近 0，两者几乎做同一件事。"}},
        {"Before and After",
         {"LayerNorm sets the mean to 0 and the variance to 1. RMSNorm sets only their sum, variance + mean^2, to 1: a "
          "mean stays in the row, scaled like everything else. Just under 1 because of eps.",
          "LayerNorm 把均值变成 0、方差变成 1；RMSNorm 只保证 方差 + 均值^2 变成 1：均值仍在，只是和其他值一起被缩放。"
          "比 1 略小是因为 eps。"}},
        {"Offset",
         {"mean^2/ms is the part of the mean square that LayerNorm removes and RMSNorm keeps. For independent numbers "
          "around 0 it is 1/H on average: the norms agree on fresh rows because of that, not by nature. An offset "
          "added to every number vanishes in LayerNorm; RMSNorm keeps it, and the small differences between the "
          "numbers are divided by it. That trained models do without the subtraction is what experiments show, not a "
          "theorem.",
          "mean^2/ms 是均方中被 LayerNorm 减掉、被 RMSNorm 保留的那一份。对均值为 0 的独立随机数，它平均是 1/H：刚初始"
          "化的行上两种 norm 一致，原因就在这里，并非本质相同。给每个数加上同一个偏移，LayerNorm 会把它减掉；RMSNorm "
          "把它留下，数与数之间的细小差别反而被它除小了。训练好的模型不减均值也行，这是实验结论，不是定理。"}},
        {"Where eps Counts",
         {"A row of RMS r comes out with RMS r / sqrt(r^2 + eps). eps is more than a guard against 0: it counts as "
          "soon as r^2 is not much larger than eps. At the 0.02 of fresh embeddings 1e-6 takes 0.1 % away and 1e-5 1.2 "
          "%; a row of 0.001 comes out with 0.7 or 0.3.",
          "RMS 为 r 的行，输出的 RMS 是 r / sqrt(r^2 + eps)。eps 不只是防止除以 0：只要 r^2 没有比 eps 大很多，它就有影"
          "响。刚初始化的嵌入 r 约为 0.02，eps 取 1e-6 少 0.1 %，取 1e-5 少 1.2 %；r 为 0.001 的行，输出只有 0.7 或 "
          "0.3。"}},
        {"Half Precision",
         {"16 rows of {H} normal numbers, normalised with every result rounded to the format, or cast up to float32 "
          "and rounded once at the end, as the reference does. In fp16 the square of 300 is beyond 65504: infinity, "
          "whose root divides the whole row to 0, without a NaN that would tell. In bf16, with the range of float32, "
          "nothing overflows, but mean and root are rounded to 8 bits and their errors add up. Between 2 and 4 bf16 "
          "numbers are 1/64 apart, so that the one rounding of the cast errs by 0.0078 there.",
          "16 行、每行 {H} 个正态随机数：一种是每一步结果都舍入到该格式，另一种像参考实现那样先转成 float32，最后只舍入"
          "一次（cast up）。fp16 最大只到 65504，300 的平方溢出成 inf，除以它的根，整行变成 0，连一个 NaN 都不会报出"
          "来。bf16 的范围与 float32 相同，不会溢出，但均方和它的根都只剩 8 位有效位，误差会叠加。在 2 到 4 之间 bf16 "
          "的间隔是 1/64，所以只舍入一次的误差最多 0.0078。"}},
    };
    return all_filled(texts, size_blanks(config, batch));
}

}  // namespace minimind
