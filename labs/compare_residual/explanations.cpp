#include "compare_residual/explanations.hpp"

namespace minimind {

namespace {

const Words fresh_weights = {
    "Fresh weights, each drawn with a standard deviation of 0.02 and then scaled: those of the layers by --init and "
    "--gain, the embedding by --embed_std. All that follows depends on these scales, so try them. This lab runs "
    "forwards only: the claims about gradients need the backward pass.",
    "刚初始化的权重，先按标准差 0.02 采样，再缩放：各层的权重由 --init 和 --gain 决定，嵌入表由 --embed_std 决定。下面"
    "的一切都取决于这些尺度，不妨改一改。这个实验只做前向：关于梯度的说法要等反向传播才能验证。"};

const Words trained_weights = {
    "Trained weights. They were trained pre-norm, so that only the pre-norm stream is shown: the same weights with "
    "their norms in another place are no model.",
    "这是训练好的权重，训练时用的是 pre-norm，所以只显示 pre-norm 的残差流：把 norm 挪到别处，同一组权重就不成模型"
    "了。"};

const Words pre_norm = {
    "mean_rms over {B} x {S} tokens: x comes in, attn and mlp are added, mid = x + attn stands between them, out = mid "
    "+ mlp. Whatever the size of x, each half reads a copy of RMS 1 (times the norm's weight), and so adds about the "
    "same in every block. At a right angle to the stream (cosine near 0) the squares add up: the stream grows like the "
    "square root of the depth, and the increments become small beside it. The first one is not: what comes in is only "
    "as large as the embedding. In a long sequence attention adds less, since it averages over more values.",
    "均为 {B} × {S} 个 token 的 mean_rms：x 是输入，attn 和 mlp 是两个子层的增量，mid = x + attn，out = mid + mlp。不"
    "管 x 多大，每个子层读到的都是 RMS 为 1 的副本（再乘 norm 的 weight），所以每个 block 加上的量差不多。增量与残差流"
    "近似垂直（余弦接近 0）时平方直接相加：残差流随深度的平方根增长，增量相对它越来越小。第一个增量并不小，因为输入"
    "只有嵌入那么大。序列越长，注意力平均的 value 越多，加上的量越小。"};

const Words post_norm = {
    "The same weights, but every sum is normalised: mid = norm(x + attn), out = norm(mid + mlp). The scale tells "
    "nothing of the depth any more, and the increments do not become small beside the stream. Each norm divides all "
    "that came before, once in every half block. The first attention reads the bare embedding, with no norm before it.",
    "权重相同，但每次相加之后都归一化：mid = norm(x + attn)，out = norm(mid + mlp)。残差流的尺度不再随深度变化，增量相"
    "对残差流也不会越来越小；而每经过半个 block，之前累积的一切都要被 norm 再除一次。第一层的注意力直接读嵌入，前"
    "面没有 norm。"};

const Words side_by_side = {
    "block 0 out/x: how much the first block changes the scale. cos(out, emb): how much of the embedding's direction "
    "the stream still has, after block 0 and after the last. With --init xavier --embed_std 1 post-norm forgets the "
    "embedding exponentially with depth, pre-norm only like 1 over a square root. With 0.02 for everything it is the "
    "other way round: post-norm lifts the embedding to RMS 1 first, pre-norm leaves it at 0.02 beside larger "
    "increments.",
    "block 0 out/x：第一个 block 把尺度放大了多少。cos(out, emb)：经过 block 0 和最后一个 block 之后，残差流里还留有多"
    "少嵌入的方向。用 --init xavier --embed_std 1 时，post-norm 随深度按指数遗忘嵌入，pre-norm 只按平方根的倒数衰减。全"
    "部取 0.02 时正好相反：post-norm 先把嵌入抬到 RMS 为 1，pre-norm 让它停在 0.02，后来的增量都比它大。"};

}  // namespace

Explanations explain_residual(const ModelConfig& config, Batch batch, bool is_fresh) {
    const Explanations texts = {{"Weights", is_fresh ? fresh_weights : trained_weights},
                                {"Pre-Norm", pre_norm},
                                {"Post-Norm", post_norm},
                                {"Side by Side", side_by_side}};
    return all_filled(texts, size_blanks(config, batch));
}

}  // namespace minimind
