// Questions about the MLP, the experts and the residual stream: what mixes tokens and what does not.
#include <string>

#include "stepper/predict_sizes.hpp"

namespace minimind {

namespace {

/// The least value of an activation, to four digits.
struct Minimum {
    double value;
    const char* where_en;
    const char* where_zh;
};

Minimum minimum_of(const std::string& hidden_act) {
    if (hidden_act == "silu") return {-0.278465, "at x = -1.2785", "在 x = -1.2785 处"};
    if (hidden_act == "relu") return {0.0, "for every x below 0", "x < 0 时都是"};
    if (hidden_act == "gelu") return {-0.169971, "at x = -0.7518", "在 x = -0.7518 处"};
    return {-0.170041, "at x = -0.7525", "在 x = -0.7525 处"};
}

Item least_activation(const QuestionSizes& n) {
    Prose prose = n.prose;
    const std::string& act = n.sizes.config.hidden_act;
    const Minimum minimum = minimum_of(act);
    prose.set("act", act);
    prose.set("least", answer_text(real_answer(minimum.value, 0.005)));
    const Words where = {minimum.where_en, minimum.where_zh};
    Item item{
        "act_fn",
        prose("what is the least value that {act} can give?", "{act} 最小能取到多少？"),
        real_answer(minimum.value, 0.005),
        {{real_answer(0.0, 0.005), prose("that is relu: {act} dips below 0 before it comes back to it",
                                         "那是 relu；{act} 先降到 0 以下，再回到 0")},
         {real_answer(-1.0, 0.005), prose("that is tanh or elu", "那是 tanh 或 elu")}},
        {prose("For large negative x it comes back to 0.", "x 很负时它又回到 0。"),
         prose("x times a factor between 0 and 1", "x 乘以 0 到 1 之间的系数"), prose("try x = -1", "试试 x = -1")},
        {}};
    item.derivation = {prose("{least}, ", "").en + where.en, where.zh + prose("", "，为 {least}").zh};
    return item;
}

Item mlp_reach(const QuestionSizes& n) {
    const Prose& prose = n.prose;
    return {
        "mlp",
        prose("post_attention_layernorm changes at position {p} of row 0 only: at how many positions does mlp change?",
              "post_attention_layernorm 只在第 0 行位置 {p} 变了：mlp 有几个位置会变？"),
        count_answer(1),
        {{count_answer(n.S - n.p),
          prose("the MLP does not mix tokens: that is attention", "MLP 不混合 token，那是 attention 的事")},
         {count_answer(n.S), prose("the MLP works on each position alone", "MLP 对每个位置单独计算")},
         {count_answer(n.B * n.S), prose("neither rows nor positions meet there", "行与行、位置与位置都不相干")}},
        {prose("Does any of its layers see two tokens at once?", "它的哪一层会同时看到两个 token？"),
         prose("mlp[b, s] = f(x[b, s])", "mlp[b, s] = f(x[b, s])"),
         prose("one x[b, s] changed", "只有一个 x[b, s] 变了")},
        prose("1: linear layers work along the last axis. `touch post_attention_layernorm {p}` shows it.",
              "1 个：线性层只作用在最后一个轴上。`touch post_attention_layernorm {p}` 可以看到。")};
}

Item block_reach(const QuestionSizes& n) {
    Prose prose = n.prose;
    prose.set("right", n.S - n.p);
    prose.set("past_p", n.P + n.p);
    return {
        "resid_post",
        prose("the token at position {past_p} of row 0 becomes another one: at how many (row, position) places does "
              "resid_post change?",
              "第 0 行位置 {past_p} 的 token 换成别的：resid_post 有几个（行, 位置）会变？"),
        count_answer(n.S - n.p),
        {{count_answer(n.S), prose("earlier positions cannot see it: the mask hides later keys",
                                   "更早的位置看不到它：mask 遮住了后面的 key")},
         {count_answer(n.B * n.S), prose("rows of a batch never meet", "batch 的各行互不相干")},
         {count_answer(n.B * (n.S - n.p)), prose("rows of a batch never meet", "batch 的各行互不相干")},
         {count_answer(1), prose("attention carries it to later positions", "attention 会把它带到后面的位置")}},
        {prose("Who can see that position?", "谁看得到这个位置？"),
         prose("itself and what comes after it, in its own row", "它自己以及同一行里它之后的"),
         prose("{S} positions, counted from {p} on", "{S} 个位置，从第 {p} 个数起")},
        prose("{S} - {p} = {right}. `touch {past_p}` shows it.", "{S} - {p} = {right}。`touch {past_p}` 可以看到。")};
}

Item expert_rows(const QuestionSizes& n) {
    Prose prose = n.prose;
    prose.set("right", n.B * n.S * n.K);
    return {"experts",
            {"how many rows do all experts' outputs have together?", "所有专家的输出加起来有多少行？"},
            count_answer(n.B * n.S * n.K),
            {{count_answer(n.B * n.S * n.E), prose("that runs every expert on every token: a sparse mixture does not",
                                                   "那是每个 token 都过所有专家；稀疏 MoE 不这样做")},
             {count_answer(n.B * n.S), prose("each token goes to {K} experts", "每个 token 要过 {K} 个专家")},
             {count_answer(n.E), prose("that is how many experts there are", "这是专家的个数")}},
            {prose("Each token goes to the experts that it chose.", "每个 token 只去它选中的专家。"),
             prose("B · S · K", "B · S · K"), prose("{B} · {S} tokens, {K} chosen", "{B} · {S} 个 token，各选 {K} 个")},
            prose("B · S · K = {B} · {S} · {K} = {right}", "B · S · K = {B} · {S} · {K} = {right}")};
}

}  // namespace

std::vector<Item> mlp_questions(const QuestionSizes& n, Point point) {
    switch (point) {
        case Point::act_fn:
            return {least_activation(n)};
        case Point::mlp:
            return {mlp_reach(n)};
        case Point::resid_post:  // padding would be another question: nobody sees it
            return n.has_mask ? std::vector<Item>{} : std::vector<Item>{block_reach(n)};
        case Point::expert:
            return {expert_rows(n)};
        default:
            return {};
    }
}

}  // namespace minimind
