// The worksheet of lesson 23: one table as embedding and as head.
#include <fmt/format.h>

#include "core/text.hpp"
#include "lessons/prose.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

namespace {

std::int64_t total_of(ModelConfig config, bool tied) {
    config.tie_word_embeddings = tied;
    return count_parameters(config).total;
}

Item head_shape(const ModelConfig& config, const Prose& prose) {
    return {
        "head_shape",
        {"shape of `lm_head.weight`", "`lm_head.weight` 的 shape"},
        shape_answer({config.vocab_size, config.hidden_size}),
        {{shape_answer({config.hidden_size, config.vocab_size}),
          prose("turned round it could not be the embedding's table; nn.Linear({H}, {V}) keeps [out, in], which is "
                "[{V}, {H}] already",
                "倒过来就不可能和嵌入表是同一张了；nn.Linear({H}, {V}) 存的是 [out, in]，本来就是 [{V}, {H}]")}},
        {prose("The head puts out one number for each token of the vocabulary.",
               "lm_head 为词表里每个 token 输出一个数。"),
         prose("[out, in] = [V, H]", "[out, in] = [V, H]"), prose("out {V}, in {H}", "输出 {V}，输入 {H}")},
        prose("({V}, {H}): one row a token, as in the embedding. That the shapes agree is what makes tying possible.",
              "({V}, {H})：每个 token 一行，和嵌入表一样。正因为 shape 一致，两者才能共享。")};
}

Item untied_total(const ModelConfig& config, Prose prose) {
    const std::int64_t tied = total_of(config, true);
    const std::int64_t untied = total_of(config, false);
    const std::int64_t table = untied - tied;
    prose.set("tied", tied);
    prose.set("untied", untied);
    prose.set("table", table);
    return {
        "untied_total",
        {"parameters of the whole model with `--tie_word_embeddings 0`", "`--tie_word_embeddings 0` 时全模型的参数量"},
        count_answer(untied),
        {{count_answer(tied), prose("that is the tied model; a head of its own is another {table} numbers",
                                    "这是共享时的参数量；独立的 lm_head 还要再加 {table}")},
         {count_answer(untied + config.vocab_size),
          prose("that gives the head a bias; it has none", "这给 lm_head 算了 bias，而它没有")},
         {count_answer(untied + table),
          prose("one table was there already: only one more comes", "原来就有一张表，只多出一张")}},
        {prose("Untied, each of the two uses has a table.", "不共享时，两种用途各有一张表。"),
         prose("tied total + V · H", "共享时的总量 + V · H"), prose("{tied} + {V} · {H}", "{tied} + {V} · {H}")},
        prose("{tied} + {table} = {untied}.", "{tied} + {table} = {untied}。")};
}

Item saved_share(const ModelConfig& config, Prose prose) {
    const auto tied = static_cast<double>(total_of(config, true));
    const auto untied = static_cast<double>(total_of(config, false));
    const double right = 100.0 * (untied - tied) / untied;
    const double share = 100.0 * (untied - tied) / tied;
    prose.set("right", fmt::format("{:.2f}", right));
    prose.set("share", fmt::format("{:.2f}", share));
    prose.set("table", static_cast<std::int64_t>(untied - tied));
    prose.set("untied", static_cast<std::int64_t>(untied));
    return {"saved_share",
            {"what tying saves, in percent of the untied model", "共享省下的参数，占不共享模型的百分之几"},
            real_answer(right, 0.05),
            {{real_answer(share, 0.05), prose("that is the table's share of the tied model; what is saved is measured "
                                              "against the model that would have been larger",
                                              "这是表占共享模型的比例；省下多少，要与本来更大的那个模型比")},
             {real_answer(right / 100.0, 5e-4), prose("that is the fraction; a percentage is a hundred times as large",
                                                      "这是小数形式；写成百分数要乘 100")}},
            {prose("A saving is a share of what one would have paid.", "省下的比例，分母是本来要付的总数。"),
             prose("100 · VH / (total + VH), with the tied total", "100 · VH / (total + VH)，total 是共享时的总量"),
             prose("100 · {table} / {untied}", "100 · {table} / {untied}")},
            prose("100 · {table} / {untied} = {right} %. Of the tied model the table is {share} %.",
                  "100 · {table} / {untied} = {right} %。而这张表占共享模型的 {share} %。")};
}

Item onehot_products(const Sizes& sizes, Prose prose) {
    const std::int64_t table = sizes.config.vocab_size * sizes.config.hidden_size;
    const std::int64_t tokens = sizes.batch.tokens();
    prose.set("table", table);
    prose.set("right", tokens * table);
    return {
        "onehot_products",
        {"multiply-adds if the embedding of the whole batch were computed as one-hot times table",
         "如果整个 batch 的嵌入都按 one-hot 乘表来算，需要多少次乘加"},
        count_answer(tokens * table),
        {{count_answer(table), prose("that is one token; there are {B} · {S}", "这是一个 token 的；一共 {B} · {S} 个")},
         {count_answer(tokens * sizes.config.hidden_size),
          prose("those are the numbers that a lookup copies; a product runs over all {V} rows",
                "这是查表要复制的数的个数；乘法则要走遍 {V} 行")}},
        {prose("A product does not know that all but one of its factors are 0.",
               "矩阵乘法并不知道除了一个以外的因子都是 0。"),
         prose("B · S · V · H", "B · S · V · H"), prose("{B} · {S} · {V} · {H}", "{B} · {S} · {V} · {H}")},
        prose("{BS} · {table} = {right} for numbers that a copy gives without one multiplication.",
              "{BS} · {table} = {right} 次；而直接复制一次乘法都不用。")};
}

Item rows_read(const Sizes& sizes, const Prose& prose) {
    return {
        "rows_read",
        {"how many rows of the table the embedding reads in one forward pass, if all ids of the batch differ",
         "batch 里的 id 互不相同时，一次前向中嵌入读取表的多少行"},
        count_answer(sizes.batch.tokens()),
        {{count_answer(sizes.config.vocab_size), prose("the head reads all {V}; a lookup reads the row of its id only",
                                                       "lm_head 才读全部 {V} 行；查表只读 id 对应的那一行")},
         {count_answer(sizes.batch.seq),
          prose("that is one of the {B} rows of the batch", "这只是 batch 中 {B} 行里的一行")}},
        {prose("One id, one row.", "一个 id 读一行。"), prose("B · S", "B · S"), prose("{B} · {S}", "{B} · {S}")},
        prose("{B} · {S} = {BS}. In the backward pass the embedding's gradient will touch these rows at most, the "
              "head's all {V}.",
              "{B} · {S} = {BS}。反向传播时，嵌入那一路的梯度最多碰这些行，lm_head 那一路碰全部 {V} 行。")};
}

Item logit_terms(const Sizes& sizes, const Prose& prose) {
    const std::int64_t hidden = sizes.config.hidden_size;
    return {"logit_terms",
            {"one logit is a sum of how many products", "一个 logit 是多少个乘积之和"},
            count_answer(hidden),
            {{count_answer(sizes.config.vocab_size), prose("there are {V} logits; each is a dot product with one row",
                                                           "logit 共有 {V} 个；每一个是与某一行的点积")},
             {count_answer(1),
              prose("nothing is looked up on the way out: the whole row counts", "输出端不是查表：整行都要参与")}},
            {prose("The head asks how well the hidden state agrees with a token's row.",
                   "lm_head 衡量的是 hidden state 与某个 token 的那一行有多一致。"),
             prose("logit[v] = sum over i of h[i] · W[v, i]", "logit[v] = 对 i 求和 h[i] · W[v, i]"),
             prose("i runs over {H} features", "i 取遍 {H} 个特征")},
            prose("H = {H}: a dot product of two vectors of {H} numbers.", "H = {H}：两个 {H} 维向量的点积。")};
}

Item head_work_saved(const ModelConfig& config, Prose prose) {
    prose.set("table", config.vocab_size * config.hidden_size);
    return {
        "head_work_saved",
        {"multiply-adds of a forward pass that tying saves for each token", "共享能为每个 token 的前向省下多少次乘加"},
        count_answer(0),
        {{count_answer(config.vocab_size * config.hidden_size),
          prose("the head multiplies with all {V} rows, whoever else uses them: tying saves memory, not work",
                "不管这些行还有谁在用，lm_head 都要与全部 {V} 行相乘：共享省的是内存，不是计算")}},
        {prose("Does it matter to a product who else reads its matrix", "矩阵还被谁使用，对乘法有影响吗"),
         prose("head: V · H multiply-adds, tied or not; lookup: none, tied or not",
               "lm_head：共享与否都是 V · H 次乘加；查表：共享与否都是 0 次"),
         prose("{table} - {table}", "{table} - {table}")},
        prose("0: both models multiply the hidden state with {V} rows, {table} multiply-adds a token.",
              "0：两种模型都要把 hidden state 与 {V} 行相乘，每个 token {table} 次乘加。")};
}

}  // namespace

std::vector<Item> worksheet_23(const Sizes& sizes) {
    const ModelConfig& config = sizes.config;
    const Prose prose(sizes);
    std::vector<Item> items = {head_shape(config, prose), untied_total(config, prose), saved_share(config, prose)};
    const double products = static_cast<double>(sizes.batch.batch) * static_cast<double>(sizes.batch.seq) *
                            static_cast<double>(config.vocab_size) * static_cast<double>(config.hidden_size);
    constexpr double countable = 9e18;  // beyond that the count would leave 64 bits
    if (products < countable) items.push_back(onehot_products(sizes, prose));
    items.push_back(rows_read(sizes, prose));
    items.push_back(logit_terms(sizes, prose));
    items.push_back(head_work_saved(config, prose));
    return items;
}

}  // namespace minimind
