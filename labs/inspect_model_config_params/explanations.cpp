#include "inspect_model_config_params/explanations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/text.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

namespace {

/// Two sentences, one after the other.
Words joined(const Words& first, const Words& second) {
    return {first.en + " " + second.en, first.zh + second.zh};
}

Words head_dim(const ModelConfig& config) {
    if (config.head_dim == config.hidden_size / config.num_attention_heads) {
        if (config.q_size() == config.hidden_size) {
            return {"head_dim is hidden_size / num_attention_heads = {H} / {h} = {D}.",
                    "head_dim 是 hidden_size / num_attention_heads = {H} / {h} = {D}。"};
        }
        return {"head_dim is hidden_size / num_attention_heads = {H} / {h}, rounded down to {D}.",
                "head_dim 是 hidden_size / num_attention_heads = {H} / {h}，向下取整为 {D}。"};
    }
    return {"head_dim was given: {h heads} of {D} make {hD}, which need not be hidden_size.",
            "head_dim 是单独指定的：{h} 个 {D} 维的 query 头合起来是 {hD}，不必等于 hidden_size。"};
}

Words intermediate_size(const ModelConfig& config) {
    const double times_pi = static_cast<double>(config.hidden_size) * std::numbers::pi;
    const Blanks blanks = {{"times pi", fmt::format("{:.1f}", times_pi)}};
    if (config.intermediate_size == static_cast<std::int64_t>(std::ceil(times_pi / 64.0)) * 64) {
        return filled({"intermediate_size is pi x {H} = {times pi}, rounded up to a multiple of 64.",
                       "intermediate_size 是 π × {H} = {times pi}，再向上取到 64 的倍数。"},
                      blanks);
    }
    return {"intermediate_size was given; left out it is pi x hidden_size, rounded up to a multiple of 64.",
            "intermediate_size 是单独指定的；不指定时是 π × hidden_size，再向上取到 64 的倍数。"};
}

Words important_shapes(const ModelConfig& config) {
    if (config.tie_word_embeddings) {
        return {
            "One matrix with two uses: at the start its rows are looked up, at the end every row is scored against the "
            "hidden state. It is one parameter, counted once.",
            "一个矩阵，两种用途：开头按行查表，结尾让每一行与 hidden state 做点积打分。它是同一个参数，只算一次。"};
    }
    return {
        "Two matrices of one shape: rows of the first are looked up at the start, those of the second score the hidden "
        "state at the end. Untied, they are two parameters, and both count.",
        "两个 shape 相同的矩阵：开头从第一个按行查表，结尾用第二个给 hidden state 打分。没有共享（untied），所以是两个"
        "参数，都要算。"};
}

Words breakdown(const ModelConfig& config) {
    const Words shares = {
        "The token matrix is {table share} of the whole, the {L blocks} {block share}. What self_attn and mlp leave of "
        "block0_total, {norms}, are the block's two norms.",
        "嵌入表占总数的 {table share}，{L} 个 block 占 {block share}。block0_total 减去 self_attn 和 mlp 还剩 "
        "{norms}，是这个 block 的两个 norm。"};
    if (!config.use_moe) return shares;
    return joined(shares,
                  {"mlp holds the router and all {E} experts, of which a token uses {K}: {active} parameters in all.",
                   "mlp 包含路由器和全部 {E} 个专家，一个 token 只用其中 {K} 个，实际用到的参数共 {active}。"});
}

Words formulas(const ModelConfig& config) {
    if (config.tie_word_embeddings) {
        return {"The first two results and final_norm are all there is: {table} + {blocks} + {final norm} = {total}.",
                "前两个结果加上 final_norm 就是全部：{table} + {blocks} + {final norm} = {total}。"};
    }
    return {
        "The first result counts twice, for lm_head has a matrix of its own: 2 x {table} + {blocks} + {final norm} = "
        "{total}.",
        "第一个结果要算两次，因为 lm_head 有自己的矩阵：2 × {table} + {blocks} + {final norm} = {total}。"};
}

Blanks count_blanks(const ModelConfig& config) {
    const ParameterCounts counts = count_parameters(config);
    const auto share = [&counts](std::int64_t part) {
        return fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(counts.total));
    };
    Blanks blanks = size_blanks(config, {0, 0});
    blanks["table share"] = share(counts.embedding);
    blanks["block share"] = share(counts.blocks);
    blanks["norms"] = with_commas(counts.block.norms);
    blanks["active"] = with_commas(counts.active);
    blanks["table"] = with_commas(counts.embedding);
    blanks["blocks"] = with_commas(counts.blocks);
    blanks["final norm"] = with_commas(counts.final_norm);
    blanks["total"] = with_commas(counts.total);
    return blanks;
}

}  // namespace

Explanations explain_config_params(const ModelConfig& config) {
    const Explanations texts = {
        {"Config", joined(head_dim(config), intermediate_size(config))},
        {"Important Shapes", important_shapes(config)},
        {"Parameter Breakdown", breakdown(config)},
        {"Simple Formulas", formulas(config)},
        {"Comparison",
         {"Each row changes one size. Words add rows to the token matrix, layers add whole blocks, an untied head "
          "costs a second matrix. A wider stream widens the token matrix and every matrix of the blocks, and makes "
          "head_dim and intermediate_size larger, too, unless they are given.",
          "每一行只改一个尺寸。词表变大只给嵌入表加行，层数增加是整个 block 地加，lm_head 不共享要多一个矩阵。加宽则让"
          "嵌入表和 block 里的每个矩阵都变大；head_dim 和 intermediate_size 如果没有单独指定，也会跟着变大。"}},
    };
    return all_filled(texts, count_blanks(config));
}

}  // namespace minimind
