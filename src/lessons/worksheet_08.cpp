// Worksheet of lesson 8: what each field of the config decides, and what counts as a parameter.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/text.hpp"
#include "lessons/prose.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

namespace {

Item head_dim(const ModelConfig& c, Prose prose) {
    const std::int64_t right = c.hidden_size / c.num_attention_heads;
    prose.set("right", right);
    return {
        "head_dim",
        prose("`head_dim` if no flag and no file gives it", "命令行和文件都没有指定 `head_dim` 时，它等于多少"),
        count_answer(right),
        {{count_answer(c.hidden_size / c.num_key_value_heads),
          prose("that shares the width among the {k} KV heads; it is shared among the {h} query heads",
                "这是按 {k} 个 KV 头来分；默认值是按 {h} 个 query 头来分")},
         {count_answer(c.hidden_size),
          prose("that is the whole width; the heads divide it among them", "这是整个宽度；各个头是平分它的")},
         {count_answer(c.head_dim),
          prose("{D} is what the flag --head_dim set; the question is about a config without it",
                "{D} 是 --head_dim 指定的值；这里问的是不指定时的默认值")}},
        {{prose("The query heads share the width of the hidden states.", "各个 query 头平分 hidden states 的宽度。"),
          prose("head_dim = hidden_size // num_attention_heads, rounded down",
                "head_dim = hidden_size // num_attention_heads，向下取整"),
          prose("{H} // {h} = {right}", "{H} // {h} = {right}")}},
        prose("{H} // {h} = {right}. It is a field of its own: a config may give any even number, and q_proj then "
              "maps {H} numbers to h * head_dim.",
              "{H} // {h} = {right}。head_dim 是独立的配置项，可以设成任意偶数，"
              "那时 q_proj 把 {H} 个数映射成 h · head_dim 个。")};
}

Item k_proj(const ModelConfig& c, const Prose& prose) {
    return {
        "k_proj",
        prose("shape of `layers.0.self_attn.k_proj.weight`", "`layers.0.self_attn.k_proj.weight` 的 shape"),
        shape_answer({c.kv_size(), c.hidden_size}),
        {{shape_answer({c.q_size(), c.hidden_size}),
          prose("that is q_proj; K has {k} heads, not {h}: {k} * {D} = {kD} rows",
                "这是 q_proj 的 shape；K 只有 {k} 个头而不是 {h} 个：{k} · {D} = {kD} 行")},
         {shape_answer({c.hidden_size, c.kv_size()}),
          prose("the other way round: nn.Linear stores [out, in], since it computes x W^T",
                "行列反了：nn.Linear 按 [out, in] 存放权重，计算的是 x W^T")},
         {shape_answer({c.head_dim, c.hidden_size}), prose("that is one head only (MQA); here there are {k} KV heads",
                                                           "这只有一个头（MQA）；这里有 {k} 个 KV 头")}},
        {{prose("A linear layer's weight is [out, in]. In: the hidden states. Out: all key heads, side by side.",
                "线性层的权重是 [out, in]。输入是 hidden states，输出是并排的所有 key 头。"),
          prose("(num_key_value_heads * head_dim, hidden_size)", "(num_key_value_heads * head_dim, hidden_size)"),
          prose("({k} * {D}, {H}) = ({kD}, {H})", "({k} * {D}, {H}) = ({kD}, {H})")}},
        prose("({k} * {D}, {H}) = ({kD}, {H}). num_key_value_heads decides the rows of k_proj and v_proj, "
              "num_attention_heads those of q_proj.",
              "({k} * {D}, {H}) = ({kD}, {H})。k_proj 和 v_proj 的行数由 num_key_value_heads 决定，"
              "q_proj 的由 num_attention_heads 决定。")};
}

Item intermediate_size(const ModelConfig& c, Prose prose) {
    ModelConfig without = c;
    without.intermediate_size = 0;
    const std::int64_t right = completed(without).intermediate_size;
    const double wide = static_cast<double>(c.hidden_size) * std::numbers::pi;
    prose.set("right", right);
    prose.set("steps", fmt::format("{} * pi = {:.2f}, / 64 = {:.2f}, ceil = {}, * 64 = {}", c.hidden_size, wide,
                                   wide / 64.0, right / 64, right));
    prose.set("ratio", fmt::format("{:.3f}", static_cast<double>(right) / static_cast<double>(c.hidden_size)));
    return {
        "intermediate_size",
        prose("`intermediate_size` if nothing gives it", "不指定 `intermediate_size` 时，它等于多少"),
        count_answer(right),
        {{count_answer(right - 64), prose("that rounds down; the default rounds up", "这是向下取整；默认值向上取整")},
         {count_answer(4 * c.hidden_size), prose("4 H is 2017's width, for an MLP of two matrices; this one has three",
                                                 "4H 是 2017 年的宽度，那时 MLP 只有两个矩阵；这里有三个")},
         {count_answer(static_cast<std::int64_t>(std::ceil(wide))),
          prose("that is pi * H alone; the default goes on to the next multiple of 64",
                "这只是 π · H；默认值还要向上取到 64 的倍数")}},
        {{prose("The MLP is about pi times as wide as the stream, at a width that suits matrix units.",
                "MLP 的宽度约为残差流的 π 倍，并取成适合矩阵单元的整数。"),
          prose("ceil(hidden_size * pi / 64) * 64", "ceil(hidden_size * pi / 64) * 64"), prose("{steps}", "{steps}")}},
        prose("{steps}: {ratio} times H.", "{steps}：是 H 的 {ratio} 倍。")};
}

Item bigger_part(const ModelConfig& c, Prose prose) {
    const BlockCounts block = count_parameters(c).block;
    const Answer mlp = word_answer({"mlp", "ffn", "feed_forward"});
    const Answer attn = word_answer({"self_attn", "attention", "attn"});
    const bool is_mlp = block.mlp > block.self_attn;
    prose.set("both", fmt::format("self_attn {}, mlp {}", with_commas(block.self_attn), with_commas(block.mlp)));
    return {"bigger_part",
            prose("which part of a block has more parameters: `self_attn` or `mlp`",
                  "一个 block 里哪部分参数更多：`self_attn` 还是 `mlp`"),
            is_mlp ? mlp : attn,
            {{is_mlp ? attn : mlp, prose("the table says otherwise: {both}", "参数表不是这样：{both}")}},
            {{prose("Count the matrices of each part, and how wide they are.", "数一数两部分各有几个矩阵，各有多宽。"),
              prose("self_attn: 2H*hD + 2H*kD + 2D; a dense mlp: 3H*I",
                    "self_attn：2H · hD + 2H · kD + 2D；dense 的 mlp：3H · I"),
              prose("{both}", "{both}")}},
            prose("{both}. (The paper of 2017 was called \"Attention Is All You Need\".)",
                  "{both}。（2017 年那篇论文的标题却是 Attention Is All You Need。）")};
}

Item untied(const ModelConfig& c, Prose prose) {
    const std::int64_t table = c.vocab_size * c.hidden_size;
    prose.set("table", table);
    return {"untied",
            prose("how many more parameters the model has with `--tie_word_embeddings 0` than with 1",
                  "`--tie_word_embeddings 0` 时，模型比取 1 时多出多少参数"),
            count_answer(table),
            {{count_answer(0), prose("untied, lm_head.weight is a matrix of its own, trained apart from the embedding",
                                     "不共享时，lm_head.weight 是另一个独立的矩阵，与嵌入表分开训练")},
             {count_answer(2 * table),
              prose("one of the two tables is there in either case", "两张表中有一张无论如何都在")}},
            {{prose("Tied, embedding and head are one matrix under two names.",
                    "共享时，嵌入表和 lm_head 是同一个矩阵的两个名字。"),
              prose("vocab_size * hidden_size", "vocab_size * hidden_size"),
              prose("{V} * {H} = {table}", "{V} * {H} = {table}")}},
            prose("{V} * {H} = {table}: a second table of the shape of the first.",
                  "{V} * {H} = {table}：再多一张同样 shape 的表。")};
}

Item total_and_buffers(const ModelConfig& c, Prose prose) {
    const ParameterCounts counts = count_parameters(c);
    const std::int64_t buffers = 2 * c.max_position_embeddings * c.head_dim;
    prose.set("buffers", buffers);
    prose.set("sum",
              fmt::format("{} + {} * {} + {}{} = {}", with_commas(counts.embedding), c.num_hidden_layers,
                          with_commas(counts.block.total()), counts.final_norm,
                          counts.lm_head == 0 ? "" : " + " + with_commas(counts.lm_head), with_commas(counts.total)));
    std::vector<Mistake> mistakes = {
        {count_answer(counts.total + buffers),
         prose("that counts the rotary tables, {buffers} numbers; they are buffers",
               "这把 RoPE 表的 {buffers} 个数也算了进去；它们是 buffer，不是参数")},
        {count_answer(counts.total - counts.final_norm),
         prose("the final norm is missing: it stands outside the blocks", "漏了最终 norm：它在所有 block 之外")}};
    if (c.tie_word_embeddings) {
        mistakes.push_back({count_answer(counts.total + counts.embedding),
                            prose("that counts the shared table twice", "这把共享的表算了两次")});
    }
    if (c.use_moe) {
        mistakes.push_back({count_answer(counts.active), prose("those are the active parameters: chosen experts only",
                                                               "这是激活参数量，只含被选中的专家")});
    }
    return {"total",
            prose("parameters of the whole model", "全模型的参数总量"),
            count_answer(counts.total),
            mistakes,
            {{prose("A table, L equal blocks, one last norm. A shared table counts once.",
                    "一张表、L 个相同的 block、一个最终 norm。共享的表只算一次。"),
              prose("V*H + L * block + H, and V*H more if untied", "V · H + L · block + H，不共享时再加 V · H"),
              prose("{sum}", "{sum}")}},
            prose("{sum}.", "{sum}。")};
}

Item wider(const ModelConfig& c, Prose prose) {
    const std::int64_t doubled = 2 * c.hidden_size;
    const std::int64_t out = c.num_attention_heads * (doubled / c.num_attention_heads);
    prose.set("product", fmt::format("{} * {} = {}", out, doubled, with_commas(out * doubled)));
    return {
        "wider",
        prose("numbers in `q_proj.weight` of a model of twice the `hidden_size` (as many heads, `head_dim` left out)",
              "`hidden_size` 翻倍（头数不变，不指定 `head_dim`）后，`q_proj.weight` 里有多少个数"),
        count_answer(out * doubled),
        {{count_answer(c.q_size() * doubled),
          prose("only the columns have doubled; head_dim follows hidden_size, and with it the rows",
                "这里只有列数翻倍；head_dim 会跟着 hidden_size 变，行数也就变了")},
         {count_answer(c.q_size() * c.hidden_size), prose("that is the q_proj of now", "这是现在的 q_proj")}},
        {{prose("hidden_size is what q_proj reads and, through head_dim, what it writes.",
                "hidden_size 既是 q_proj 的输入宽度，又通过 head_dim 决定输出宽度。"),
          prose("(h * (2H // h)) * 2H", "(h · (2H // h)) · 2H"), prose("{product}", "{product}")}},
        prose("{product}. Rows and columns grow: width costs its square, depth only itself.",
              "{product}。行和列都变大：加宽的代价是平方，加深的代价是一次方。")};
}

Item rope_tables(const ModelConfig& c, Prose prose) {
    const std::int64_t one = c.max_position_embeddings * c.head_dim;
    prose.set("positions", c.max_position_embeddings);
    prose.set("product", fmt::format("2 * {} * {} = {}", c.max_position_embeddings, c.head_dim, with_commas(2 * one)));
    return {
        "rope_tables",
        prose("numbers in the two rotary tables (buffers) together, with `max_position_embeddings` {positions}",
              "`max_position_embeddings` 为 {positions} 时，两张 RoPE 表（buffer）一共有多少个数"),
        count_answer(2 * one),
        {{count_answer(one), prose("that is one table; cos and sin have one each", "这只是一张；cos 和 sin 各有一张")},
         {count_answer(0), prose("none of them is a parameter; but the numbers are there, in memory",
                                 "其中没有参数；但这些数确实在内存里")},
         {count_answer(2 * c.max_position_embeddings * c.hidden_size),
          prose("the rotation happens inside a head: a row is {D} wide, not {H}",
                "旋转发生在每个头内部：一行宽 {D}，而不是 {H}")}},
        {{prose("Tables for every position that the model may ever see, made when it is built.",
                "为模型可能遇到的每个位置准备的表，建模型时就算好。"),
          prose("2 * max_position_embeddings * head_dim", "2 · max_position_embeddings · head_dim"),
          prose("{product}", "{product}")}},
        prose("{product}. None is trained or saved, so none is in the parameter count.",
              "{product}。它们不训练也不保存，所以不计入参数量。")};
}

}  // namespace

std::vector<Item> worksheet_8(const Sizes& sizes) {
    const ModelConfig& c = sizes.config;
    const Prose prose(sizes);
    std::vector<Item> items = {head_dim(c, prose),    k_proj(c, prose), intermediate_size(c, prose),
                               bigger_part(c, prose), untied(c, prose), total_and_buffers(c, prose)};
    constexpr std::int64_t widest = std::int64_t{1} << 20;  // beyond that a wrong count could leave 64 bits
    if (c.hidden_size > widest) return items;
    items.push_back(wider(c, prose));
    items.push_back(rope_tables(c, prose));
    return items;
}

}  // namespace minimind
