// Worksheet of lesson 13: the feed-forward network, dense and as a mixture of experts.
#include "lessons/prose.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

namespace {

Item gated_shape(const Sizes& sizes, Prose prose) {
    const auto [B, S] = sizes.batch;
    const std::int64_t inner = sizes.config.intermediate_size;
    prose.set("right", shape_text({B, S, inner}));
    return {
        "gated_shape",
        {"dense model: shape of `mlp.gated`", "dense 模型：`mlp.gated` 的 shape"},
        shape_answer({B, S, inner}),
        {{shape_answer({B, S, 2 * inner}), prose("gate and up are multiplied number by number, not put side by side",
                                                 "gate 与 up 是逐元素相乘，不是拼接")},
         {shape_answer({B, S, sizes.config.hidden_size}),
          prose("only down_proj leads back to the width {H} of the stream",
                "要经过 down_proj 才回到残差流的宽度 {H}")}},
        {prose("Two branches of one width, and a product keeps it.", "两个分支一样宽，逐元素相乘不改变宽度。"),
         prose("[B, S, I]", "[B, S, I]"), prose("I = {I}.", "I = {I}。")},
        prose("act(gate) [B, S, I] * up [B, S, I] = {right}.", "act(gate) [B, S, I] * up [B, S, I] = {right}。")};
}

Item mlp_reach(const Sizes& sizes, const Prose& prose) {
    return {"mlp_reach",
            {"the input of `mlp` changes at one position of one row: at how many positions its output does",
             "`mlp` 的输入只在某一行的一个位置上变了：它的输出有几个位置会变"},
            count_answer(1),
            {{count_answer(sizes.batch.seq), prose("that mixes the tokens of a row, which only attention does",
                                                   "那样就混合了一行里的 token，只有注意力才这么做")},
             {count_answer(sizes.batch.tokens()),
              prose("neither rows nor positions meet: each of the {BS} tokens goes through alone",
                    "行与行、位置与位置都不相干：{BS} 个 token 各走各的")}},
            {prose("Does any of gate_proj, act_fn, up_proj and down_proj see two tokens at once?",
                   "gate_proj、act_fn、up_proj、down_proj 里，有哪个会同时看到两个 token？"),
             prose("out[b, s] is a function of x[b, s] alone.", "out[b, s] 只是 x[b, s] 的函数。"),
             prose("{BS} tokens, each computed as if it were alone.", "共 {BS} 个 token，每个都像单独计算一样。")},
            prose("Linear layers act on the last axis, activation and product on single numbers: 1.",
                  "线性层作用在最后一个轴，激活和乘法作用在单个数上：1 个。")};
}

Item router_weight(const Sizes& sizes, Prose prose) {
    const std::int64_t E = sizes.config.num_experts;
    const std::int64_t H = sizes.config.hidden_size;
    prose.set("right", shape_text({E, H}));
    return {"router_weight",
            {"MoE: shape of `mlp.gate.weight`", "MoE 模型：`mlp.gate.weight` 的 shape"},
            shape_answer({E, H}),
            {{shape_answer({H, E}), prose("a Linear keeps its weight as [out, in]", "Linear 的权重按 [out, in] 存放")},
             {shape_answer({sizes.config.intermediate_size, H}),
              prose("that is gate_proj, the gate inside a feed-forward network; mlp.gate is the router",
                    "那是 FFN 里的门 gate_proj；mlp.gate 是路由器")},
             {shape_answer({sizes.batch.tokens(), E}),
              prose("that is its output: for each token {E} scores", "那是它的输出：每个 token 有 {E} 个分数")}},
            {prose("The router gives a token one score for each expert.", "路由器给每个 token 对每个专家打一个分。"),
             prose("Linear(H, E) without a bias", "Linear(H, E)，无 bias"),
             prose("H = {H}, E = {E}.", "H = {H}，E = {E}。")},
            prose("Linear({H}, {E}) keeps [out, in] = {right}.", "Linear({H}, {E}) 存 [out, in] = {right}。")};
}

Item expert_rows(const Sizes& sizes, Prose prose) {
    const std::int64_t tokens = sizes.batch.tokens();
    const std::int64_t chosen = sizes.config.num_experts_per_tok;
    prose.set("right", tokens * chosen);
    std::vector<Mistake> mistakes = {{count_answer(tokens * sizes.config.num_experts),
                                      prose("that is every token in every expert; only the chosen ones compute",
                                            "那是每个 token 都经过每个专家；只有被选中的才计算")}};
    if (chosen > 1) {
        mistakes.push_back({count_answer(tokens), prose("each token goes to {K} experts and is a row in each of them",
                                                        "每个 token 去 {K} 个专家，在每个专家里都占一行")});
    }
    return {"expert_rows",
            {"MoE: how many rows all experts of a layer get together", "MoE 模型：一层的所有专家一共收到多少行"},
            count_answer(tokens * chosen),
            mistakes,
            {prose("A token is one row in each expert that it chose.", "token 选了几个专家，就在几个专家里各占一行。"),
             prose("B · S · K", "B · S · K"),
             prose("{BS} tokens, {K} of {E} experts each.", "{BS} 个 token，各选 {K} 个专家（共 {E} 个）。")},
            prose("{B} · {S} · {K} = {right}. How they spread over the experts is the router's choice.",
                  "{B} · {S} · {K} = {right}。怎样分布到各个专家，由路由器决定。")};
}

Item single_weight(const Sizes& sizes, const Prose& prose) {
    return {"single_weight",
            {"MoE with `norm_topk_prob` 1 and `num_experts_per_tok` 1: weight of the one chosen expert",
             "`norm_topk_prob` 为 1、`num_experts_per_tok` 为 1 的 MoE：唯一选中的专家的权重"},
            real_answer(1.0, 1e-3),
            {{real_answer(1.0 / static_cast<double>(sizes.config.num_experts), 1e-3),
              prose("about 1/{E} is a fresh router's p; it is divided by the sum of the chosen p, which is p itself",
                    "1/{E} 大约是刚初始化的路由器给出的 p；还要除以被选中的 p 之和，也就是它自己")},
             {real_answer(0.0, 1e-3), prose("then the layer would add nothing", "那样这一层什么也加不上去")}},
            {prose("The weights of the chosen experts are scaled until they add up to 1.",
                   "被选中专家的权重会缩放到合计为 1。"),
             prose("p / (sum of the chosen p + 1e-20)", "p / (被选中的 p 之和 + 1e-20)"),
             prose("With one chosen expert: p / p.", "只选一个时：p / p。")},
            prose("p / p = 1, whatever the router says.", "p / p = 1，不管路由器给出多少。")};
}

/// The same sizes as a mixture of experts, or as a dense model.
ModelConfig with_moe(ModelConfig config, bool use_moe) {
    config.use_moe = use_moe;
    return config;
}

Item moe_mlp_count(const Sizes& sizes, Prose prose) {
    const ModelConfig& config = sizes.config;
    const std::int64_t one = 3 * config.hidden_size * config.moe_intermediate_size;
    const std::int64_t router = config.num_experts * config.hidden_size;
    const std::int64_t right = count_parameters(with_moe(config, true)).block.mlp;
    prose.set("right", right);
    return {"moe_mlp_count",
            {"MoE: parameters of the `mlp` of one layer", "MoE 模型：一层 `mlp` 的参数量"},
            count_answer(right),
            {{count_answer(config.num_experts * one),
              prose("the router has weights, too: {E} · {H}", "路由器也有参数：{E} · {H}")},
             {count_answer(router + config.num_experts_per_tok * one),
              prose("a token uses so many; the layer has all {E} experts",
                    "这是一个 token 用到的；这一层有全部 {E} 个专家")},
             {count_answer(one), prose("that is one expert; the layer has {E}, and a router",
                                       "这是一个专家的参数；这一层有 {E} 个，还有路由器")}},
            {prose("A router, and feed-forward networks of three matrices each.",
                   "一个路由器，加上若干个 FFN，每个三个矩阵。"),
             prose("E · H + E · 3 · H · I, with I the moe_intermediate_size",
                   "E · H + E · 3 · H · I，I 是 moe_intermediate_size"),
             prose("{E} · {H} + {E} · 3 · {H} · {Im}", "{E} · {H} + {E} · 3 · {H} · {Im}")},
            prose("{E} · {H} + {E} · 3 · {H} · {Im} = {right}.", "{E} · {H} + {E} · 3 · {H} · {Im} = {right}。")};
}

Item active_count(const Sizes& sizes, Prose prose) {
    const ModelConfig& config = sizes.config;
    const ParameterCounts counts = count_parameters(with_moe(config, true));
    prose.set("total", counts.total);
    prose.set("expert", counts.block.expert);
    prose.set("idle", config.num_experts - config.num_experts_per_tok);
    prose.set("right", counts.active);
    return {"active_count",
            {"MoE: active parameters of the whole model (those that one token uses)",
             "MoE 模型：全模型的激活参数量（一个 token 用到的参数）"},
            count_answer(counts.active),
            {{count_answer(counts.total), prose("that is all there are; a token passes by {idle} experts in each layer",
                                                "这是全部参数；每层有 {idle} 个专家 token 是不经过的")},
             {count_answer(count_parameters(with_moe(config, false)).total),
              prose("that is the dense model; here a token uses {K} experts and the router",
                    "那是 dense 模型；这里一个 token 用 {K} 个专家，还有路由器")},
             {count_answer(counts.total * config.num_experts_per_tok / config.num_experts),
              prose("only experts are passed by: embedding, attention and norms are always in use",
                    "不用的只有专家；嵌入、注意力和 norm 总是要用的")}},
            {prose("In each layer a token uses K experts; everything else it uses whole.",
                   "每层只用 K 个专家，其余全部用到。"),
             prose("total - L · (E - K) · 3 · H · I", "总数 - L · (E - K) · 3 · H · I"),
             prose("{total} - {L} · {idle} · {expert}", "{total} - {L} · {idle} · {expert}")},
            prose("{total} - {L} · {idle} · {expert} = {right}.", "{total} - {L} · {idle} · {expert} = {right}。")};
}

Item aux_in_evaluation(const Sizes& sizes, const Prose& prose) {
    const double coef = sizes.config.router_aux_loss_coef;
    const double even = static_cast<double>(sizes.config.num_hidden_layers * sizes.config.num_experts_per_tok) * coef;
    return {
        "aux_in_evaluation",
        {"MoE: the `aux_loss` that the model returns in evaluation mode", "MoE 模型：eval 模式下模型返回的 `aux_loss`"},
        real_answer(0.0, 1e-6),
        {{real_answer(even, 0.05 * even), prose("about that it is in training, when every expert gets its share",
                                                "训练时若每个专家分到的一样多，大约是这么多")},
         {real_answer(coef, 0.01 * coef),
          prose("that is router_aux_loss_coef, which it is multiplied by", "这是乘在前面的系数 router_aux_loss_coef")}},
        {prose("Whom does the aux loss teach, and when?", "辅助损失教的是谁，在什么时候？"),
         prose("coef · E · sum(load · mean(p)) in training, else 0.",
               "训练时为 coef · E · sum(load · mean(p))，否则为 0。"),
         prose("E = {E}, and the mode is evaluation.", "E = {E}，模式是 eval。")},
        prose("0. It is computed in training only, and even then `loss` does not hold it: the trainer adds it.",
              "0：只在训练时计算；即便训练时它也不在 `loss` 里，由训练脚本相加。")};
}

}  // namespace

std::vector<Item> worksheet_13(const Sizes& sizes) {
    Prose prose(sizes);
    prose.set("E", sizes.config.num_experts);
    prose.set("K", sizes.config.num_experts_per_tok);
    prose.set("Im", sizes.config.moe_intermediate_size);
    return {gated_shape(sizes, prose),  mlp_reach(sizes, prose),        router_weight(sizes, prose),
            expert_rows(sizes, prose),  single_weight(sizes, prose),    moe_mlp_count(sizes, prose),
            active_count(sizes, prose), aux_in_evaluation(sizes, prose)};
}

}  // namespace minimind
