#include "stepper/stage_words.hpp"

#include <fmt/format.h>

#include <map>

#include "console/table.hpp"

namespace minimind {

namespace {

/// Where the table's formula is English. The others are the same in every language.
const std::map<Point, const char*>& chinese_formulas() {
    static const std::map<Point, const char*> formulas = {
        {Point::rope_cos, "cos(t * f_i)，f_i = theta^(-2i/D)，D/2 个角度各存两遍"},
        {Point::rope_sin, "sin(t * f_i)，f_i = theta^(-2i/D)，D/2 个角度各存两遍"},
        {Point::resid_pre, "x，进入本层时的残差流"},
        {Point::q, "同样的数，看成 h 个长度为 D 的头"},
        {Point::k, "同样的数，看成 k 个长度为 D 的头"},
        {Point::v, "同样的数，看成 k 个长度为 D 的头"},
        {Point::q_rope, "x * cos + rotate_half(x) * sin，rotate_half(x) = (-x[D/2:], x[:D/2])"},
        {Point::k_rope, "x * cos + rotate_half(x) * sin，rotate_half(x) = (-x[D/2:], x[:D/2])"},
        {Point::k_cache, "先是缓存的 P 个 key，再接 S 个新的"},
        {Point::v_cache, "先是缓存的 P 个 value，再接 S 个新的"},
        {Point::k_repeat, "每个 key 头连续重复 h/k 次：只是视图，没有复制"},
        {Point::v_repeat, "每个 value 头连续重复 h/k 次：只是视图，没有复制"},
        {Point::masked_scores, "key 在 query 之后的位置为 -inf；padding 处加 -1e9"},
        {Point::attn_weights, "沿 key 轴 softmax：exp(x - max) / sum(exp(x - max))"},
        {Point::z, "value 的加权和：对所有 key 求 weight * v 之和"},
        {Point::merged, "各头并排：merged[b, s, j*D + d] = z[b, j, s, d]"},
        {Point::self_attn, "注意力写入残差流的增量"},
        {Point::act_fn, "act(gate)，其中 silu(x) = x * sigmoid(x)"},
        {Point::router_logits, "Wg x，每个 token 一行"},
        {Point::router_probs, "沿专家轴 softmax"},
        {Point::topk_idx, "p 最大的 K 个专家，从大到小"},
        {Point::topk_weight, "被选中专家的 p；若 norm_topk_prob，再除以它们的和 + 1e-20"},
        {Point::expert, "Wdown (act(Wgate x) * Wup x)，只算选中专家 e 的 token"},
        {Point::mlp, "MLP 写入残差流的增量"},
        {Point::lm_head, "logits = W_head x；设了 logits_to_keep 时只算最后几个位置"},
        {Point::shift_logits, "位置 t 的 logits 预测 t + 1 处的 label"},
        {Point::shift_labels, "去掉第一个的 labels"},
        {Point::per_token_loss, "-log softmax(logits)[label]；label 为 -100 处为 0"},
        {Point::loss, "对 label 不是 -100 的位置取平均"},
    };
    return formulas;
}

const std::map<std::string, Words>& axis_words() {
    static const std::map<std::string, Words> words = {
        {"B", {"batch rows", "batch 行"}},
        {"S", {"tokens", "token"}},
        {"S-1", {"tokens but one", "token（少一个）"}},
        {"T", {"keys", "key"}},
        {"P", {"cached tokens", "缓存的 token"}},
        {"H", {"hidden_size", "hidden_size"}},
        {"h", {"query heads", "query 头"}},
        {"k", {"KV heads", "KV 头"}},
        {"D", {"head_dim", "head_dim"}},
        {"h*D", {"query heads x head_dim", "query 头 × head_dim"}},
        {"k*D", {"KV heads x head_dim", "KV 头 × head_dim"}},
        {"I", {"intermediate_size", "intermediate_size"}},
        {"V", {"vocab_size", "vocab_size"}},
        {"B*S", {"tokens of all rows", "所有行的 token"}},
        {"E", {"experts", "专家"}},
        {"K", {"chosen experts", "选中的专家"}},
        {"N", {"tokens of this expert", "选中该专家的 token"}},
    };
    return words;
}

}  // namespace

std::string formula_text(Point point, bool use_moe, Language language) {
    const std::string formula(formula_of(point, use_moe));
    if (language == Language::en) return formula;
    if (point == Point::mlp && use_moe) return "对选中的 K 个专家求 topk_weight * expert(x) 之和";
    const auto found = chinese_formulas().find(point);
    return found == chinese_formulas().end() ? formula : found->second;
}

std::string symbols_text(Point point, const ModelConfig& config) {
    switch (point) {
        case Point::input_layernorm:
        case Point::q_norm:
        case Point::k_norm:
        case Point::post_attention_layernorm:
        case Point::norm:
            return fmt::format("eps = {}", config.rms_norm_eps);
        case Point::rope_cos:
        case Point::rope_sin:
            return fmt::format("theta = {}, D = {}", config.rope_theta, config.head_dim);
        case Point::q_rope:
        case Point::k_rope:
        case Point::scores:
            return fmt::format("D = {}", config.head_dim);
        case Point::k_repeat:
        case Point::v_repeat:
            return fmt::format("h/k = {}/{}", config.num_attention_heads, config.num_key_value_heads);
        case Point::act_fn:
        case Point::expert:
            return "act = " + config.hidden_act;
        case Point::topk_idx:
        case Point::topk_weight:
            return fmt::format("K = {}, norm_topk_prob = {}", config.num_experts_per_tok,
                               config.norm_topk_prob ? 1 : 0);
        default:
            return "";
    }
}

std::string axes_text(const std::vector<std::string>& axes, Language language) {
    std::string result;
    for (const std::string& axis : axes) {
        const auto found = axis_words().find(axis);
        if (found == axis_words().end()) continue;
        if (!result.empty()) result += text(language, ", ", "，");
        result += axis + " " + found->second.in(language);
    }
    return result;
}

std::string named_shape_text(const std::vector<std::string>& axes, const Shape& shape, Language language) {
    if (shape.empty()) return text(language, "one number", "一个数");
    std::string result;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        result += fmt::format("{}{}={}", i == 0 ? "[" : ", ", i < axes.size() ? axes[i] : "?", shape[i]);
    }
    return result + "]";
}

}  // namespace minimind
