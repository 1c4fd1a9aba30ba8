// The worksheet of lesson 24: every parameter counted.
#include <fmt/format.h>

#include "core/text.hpp"
#include "lessons/prose.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

namespace {

Item attention_params(const ModelConfig& config, Prose prose) {
    const std::int64_t hidden = config.hidden_size;
    const std::int64_t norms = 2 * config.head_dim;
    const std::int64_t projections = 2 * hidden * config.q_size() + 2 * hidden * config.kv_size();
    prose.set("norms", norms);
    prose.set("right", projections + norms);
    return {"attention_params",
            {"parameters of one `self_attn`, its QK-norms included", "一个 `self_attn` 的参数量（含 QK-norm）"},
            count_answer(projections + norms),
            {{count_answer(4 * hidden * config.q_size() + norms),
              prose("that is multi-head attention without groups; k_proj and v_proj have {k} heads, not {h}",
                    "这是不分组的多头注意力；k_proj 和 v_proj 只有 {k} 个头，不是 {h} 个")},
             {count_answer(projections),
              prose("q_norm and k_norm are missing: {D} numbers each", "漏了 q_norm 和 k_norm：各 {D} 个数")},
             {count_answer(4 * hidden * hidden + norms),
              prose("four square matrices would need h · head_dim = H and as many KV heads; here q_proj is {hD} by {H}",
                    "四个方阵要求 h · head_dim = H 且 KV 头数相同；这里 q_proj 是 {hD} × {H}")}},
            {prose("Four projections, of which two are narrower, and two small norms.",
                   "四个投影，其中两个较窄，再加两个很小的 norm。"),
             prose("2 · H · hD + 2 · H · kD + 2 · D", "2 · H · hD + 2 · H · kD + 2 · D"),
             prose("2 · {H} · {hD} + 2 · {H} · {kD} + {norms}", "2 · {H} · {hD} + 2 · {H} · {kD} + {norms}")},
            prose("q and o: 2 · {H} · {hD}; k and v: 2 · {H} · {kD}; norms {norms}; together {right}.",
                  "q 与 o：2 · {H} · {hD}；k 与 v：2 · {H} · {kD}；norm {norms}；合计 {right}。")};
}

Item norm_params(const ModelConfig& config, Prose prose) {
    const std::int64_t layers = config.num_hidden_layers;
    const std::int64_t hidden = config.hidden_size;
    const std::int64_t block = 2 * hidden + 2 * config.head_dim;
    prose.set("block", block);
    prose.set("modules", 4 * layers + 1);
    prose.set("right", layers * block + hidden);
    return {"norm_params",
            {"parameters of all norms of the model together", "全模型所有 norm 的参数量之和"},
            count_answer(layers * block + hidden),
            {{count_answer((2 * layers + 1) * hidden), prose("q_norm and k_norm are missing: 2 · {D} in each block",
                                                             "漏了 q_norm 和 k_norm：每个 block 还有 2 · {D}")},
             {count_answer((4 * layers + 1) * hidden),
              prose("q_norm and k_norm are {D} wide, not {H}", "q_norm 和 k_norm 的宽度是 {D}，不是 {H}")},
             {count_answer(4 * layers + 1), prose("those are the modules; each has a weight of {H} or {D} numbers",
                                                  "这是 norm 的个数；每个有 {H} 或 {D} 个数")}},
            {prose("There are norms of two widths, and one outside the blocks.",
                   "norm 有两种宽度，还有一个在 block 之外。"),
             prose("L · (2H + 2D) + H", "L · (2H + 2D) + H"), prose("{L} · {block} + {H}", "{L} · {block} + {H}")},
            prose("{L} · (2 · {H} + 2 · {D}) + {H} = {right}, in {modules} modules.",
                  "{L} · (2 · {H} + 2 · {D}) + {H} = {right}，分布在 {modules} 个 norm 里。")};
}

Item bias_params(const ModelConfig& config, Prose prose) {
    const std::int64_t layers = config.num_hidden_layers;
    const std::int64_t attention = config.q_size() + 2 * config.kv_size() + config.hidden_size;
    const std::int64_t mlp = 2 * config.intermediate_size + config.hidden_size;
    prose.set("attention", attention);
    prose.set("mlp", mlp);
    prose.set("block", attention + mlp);
    prose.set("right", layers * (attention + mlp));
    return {"bias_params",
            {"how many parameters biases on all seven linear layers of each dense block would add to the model",
             "如果每个 dense block 的七个线性层都带 bias，全模型会多出多少参数"},
            count_answer(layers * (attention + mlp)),
            {{count_answer(attention + mlp), prose("that is one block; there are {L}", "这是一个 block；一共 {L} 个")},
             {count_answer(7 * layers * config.hidden_size),
              prose("a bias is as long as the output of its layer, which is not {H} for all seven",
                    "bias 的长度等于该层输出的宽度，七个层的输出并不都是 {H} 个数")}},
            {prose("A bias has one number for each output.", "bias 每个输出一个数。"),
             prose("L · (hD + kD + kD + H  +  I + I + H)", "L · (hD + kD + kD + H  +  I + I + H)"),
             prose("{L} · ({attention} + {mlp})", "{L} · ({attention} + {mlp})")},
            prose("{L} · {block} = {right}: a column beside matrices that are hundreds of columns wide.",
                  "{L} · {block} = {right}：在几百列宽的矩阵旁边多出一列而已。")};
}

Item total(const ModelConfig& config, Prose prose) {
    const ParameterCounts counts = count_parameters(config);
    const std::int64_t layers = config.num_hidden_layers;
    const std::int64_t norms = layers * (2 * config.hidden_size + 2 * config.head_dim) + config.hidden_size;
    prose.set("norms", norms);
    prose.set("sum",
              fmt::format("{} · {} + {} · {} + {}{}", with_commas(config.vocab_size), with_commas(config.hidden_size),
                          layers, with_commas(counts.block.total()), with_commas(counts.final_norm),
                          counts.lm_head == 0 ? "" : " + " + with_commas(counts.lm_head)));
    prose.set("right", counts.total);
    std::vector<Mistake> mistakes = {{count_answer(counts.total - norms),
                                      prose("all {norms} norm weights are missing", "漏了全部 {norms} 个 norm 参数")},
                                     {count_answer(counts.total - counts.final_norm),
                                      prose("the final norm is missing, {H} numbers", "漏了最终 norm，{H} 个数")}};
    if (config.tie_word_embeddings) {
        mistakes.push_back(
            {count_answer(counts.total + counts.embedding),
             prose("the tied table is one parameter and counts once", "共享的表是同一个参数，只算一次")});
    }
    return {"exact_total",
            {"parameters of the whole model, exactly", "全模型的参数量，精确到个位"},
            count_answer(counts.total),
            mistakes,
            {prose("A table, equal blocks, one more norm.", "一张表、若干相同的 block、再加一个 norm。"),
             prose("V · H + L · block + H, and V · H once more if untied", "V · H + L · block + H，不共享时再加 V · H"),
             prose("{sum}", "{sum}")},
            prose("{sum} = {right}.", "{sum} = {right}。")};
}

/// The model as a mixture of experts: its own experts if it has some, else 4 of which 2 are chosen.
ModelConfig with_experts(ModelConfig config) {
    if (config.use_moe) return config;
    config.use_moe = true;
    config.num_experts = 4;
    config.num_experts_per_tok = 2;
    config.moe_intermediate_size = config.intermediate_size;
    return config;
}

Item moe_active(const ModelConfig& dense, Prose prose) {
    const ModelConfig config = with_experts(dense);
    const ParameterCounts counts = count_parameters(config);
    const std::int64_t layers = config.num_hidden_layers;
    const std::int64_t routers = layers * config.num_experts * config.hidden_size;
    const std::int64_t idle = layers * (config.num_experts - config.num_experts_per_tok) * counts.block.expert;
    prose.set("E", config.num_experts);
    prose.set("K", config.num_experts_per_tok);
    prose.set("unused", config.num_experts - config.num_experts_per_tok);
    prose.set("expert", counts.block.expert);
    prose.set("total", counts.total);
    prose.set("idle", idle);
    prose.set("right", counts.active);
    const double scaled = static_cast<double>(counts.total) / static_cast<double>(config.num_experts) *
                          static_cast<double>(config.num_experts_per_tok);
    return {"moe_active",
            prose("as a mixture of {E} experts of which {K} are chosen: active parameters",
                  "改成 {E} 个专家、每个 token 选 {K} 个的 MoE：激活参数量"),
            count_answer(counts.active),
            {{count_answer(counts.total),
              prose("that is the total: all experts are stored", "这是总参数量：所有专家都要存")},
             {count_answer(counts.active - routers), prose("the routers are active for every token: {L} · {E} · {H}",
                                                           "漏了路由器，每个 token 都要算它：{L} · {E} · {H}")},
             {count_answer(static_cast<std::int64_t>(scaled)),
              prose("only the experts are divided up; embedding, attention and norms are used by every token",
                    "被分摊的只有专家；嵌入、注意力和 norm 每个 token 都用")}},
            {prose("Take the total and leave out what a token does not use.", "从总量里减去一个 token 用不到的部分。"),
             prose("total - L · (E - K) · 3HI", "total - L · (E - K) · 3HI"),
             prose("{total} - {L} · {unused} · {expert}", "{total} - {L} · {unused} · {expert}")},
            prose("{total} - {idle} = {right}. The routers' {L} · {E} · {H} numbers are in it.",
                  "{total} - {idle} = {right}，其中包含路由器的 {L} · {E} · {H} 个数。")};
}

Item attention_work(const Sizes& sizes, Prose prose) {
    const ModelConfig& config = sizes.config;
    const std::int64_t keys = sizes.batch.seq;
    const MultiplyAdds work = count_multiply_adds(config, keys);
    prose.set("right", work.scores + work.values);
    return {
        "attention_work",
        {"multiply-adds of QK^T and AV together in all layers, for one token that attends to S keys",
         "一个 token 关注 S 个 key 时，所有层的 QK^T 与 AV 一共多少次乘加"},
        count_answer(work.scores + work.values),
        {{count_answer(work.scores), prose("that is one of the two; the values are weighted and summed, too",
                                           "这只是其中一个；对 value 加权求和还要同样多")},
         {count_answer(2 * config.num_hidden_layers * config.kv_size() * keys),
          prose("GQA saves keys and values in memory; each of the {h} query heads still multiplies with all of them",
                "GQA 省的是 K、V 的存储；{h} 个 query 头照样各自与所有 key 相乘")},
         {count_answer(2 * config.q_size() * keys),
          prose("that is one layer; there are {L}", "这是一层；一共 {L} 层")}},
        {prose("These products have no weights: they grow with the context, not with the parameters.",
               "这两个乘法没有权重：它们随上下文变长，与参数量无关。"),
         prose("2 · L · hD · S", "2 · L · hD · S"), prose("2 · {L} · {hD} · {S}", "2 · {L} · {hD} · {S}")},
        prose("2 · {L} · {hD} · {S} = {right}. All else of a token's work is one multiply-add a weight.",
              "2 · {L} · {hD} · {S} = {right}。一个 token 其余的计算都是每个权重一次乘加。")};
}

}  // namespace

std::vector<Item> worksheet_24(const Sizes& sizes) {
    const ModelConfig& config = sizes.config;
    const Prose prose(sizes);
    std::vector<Item> items = {attention_params(config, prose), norm_params(config, prose), bias_params(config, prose),
                               total(config, prose), moe_active(config, prose)};
    constexpr double countable = 2e18;  // beyond that a count could leave 64 bits
    const double work = static_cast<double>(config.num_hidden_layers) * static_cast<double>(config.q_size()) *
                        static_cast<double>(sizes.batch.seq);
    if (work < countable) items.push_back(attention_work(sizes, prose));
    return items;
}

}  // namespace minimind
