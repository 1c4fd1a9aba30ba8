#include "trace/point.hpp"

#include <utility>

#include "stage_sources.inc"  // made from src/model by list_stages.awk: stage_sources[]

namespace minimind {

namespace {

// Axes: B batch, S sequence, T = P + S positions of keys (P of them cached), H hidden_size, h query heads, k key/value
// heads, D head_dim, I intermediate_size, V vocab_size, E experts, K experts a token, N tokens of one expert.

constexpr std::string_view rms_norm_formula = "x / sqrt(mean(x^2) + eps) * weight";
constexpr std::string_view rms_norm_pytorch = "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight";
constexpr std::string_view linear_pytorch = "F.linear(x, weight)";
constexpr std::string_view head_rows_q = "x.view(B, S, h, D)";
constexpr std::string_view head_rows_kv = "x.view(B, S, k, D)";
constexpr std::string_view rope_formula = "x * cos + rotate_half(x) * sin, rotate_half(x) = (-x[D/2:], x[:D/2])";
constexpr std::string_view rope_pytorch =
    "x * cos[:, None] + torch.cat([-x[..., D // 2:], x[..., :D // 2]], -1) * sin[:, None]";

const std::vector<PointInfo> table = {
    {Point::embed_tokens, "model.embed_tokens", "B S H", Occurs::always, true, "input_ids", "embed_tokens.weight",
     "x[t] = embed_tokens[id(t)]", "F.embedding(x, weight)", "hook_embed"},
    {Point::rope_cos, "model.rope.cos", "S D", Occurs::always, false, "", "",
     "cos(t * f_i), f_i = theta^(-2i/D), the D/2 angles twice",
     "torch.outer(positions, inv_freq).cos().repeat(1, 2) * attention_factor", ""},
    {Point::rope_sin, "model.rope.sin", "S D", Occurs::always, false, "", "",
     "sin(t * f_i), f_i = theta^(-2i/D), the D/2 angles twice",
     "torch.outer(positions, inv_freq).sin().repeat(1, 2) * attention_factor", ""},

    {Point::resid_pre, "model.layers.{i}.resid_pre", "B S H", Occurs::always, true, "stream", "",
     "x, the residual stream as it enters the block", "x", "hook_resid_pre"},
    {Point::input_layernorm, "model.layers.{i}.input_layernorm", "B S H", Occurs::always, true, "resid_pre",
     "input_layernorm.weight", rms_norm_formula, rms_norm_pytorch, ""},
    {Point::q_proj, "model.layers.{i}.self_attn.q_proj", "B S h*D", Occurs::always, true, "input_layernorm",
     "self_attn.q_proj.weight", "Wq x", linear_pytorch, ""},
    {Point::k_proj, "model.layers.{i}.self_attn.k_proj", "B S k*D", Occurs::always, true, "input_layernorm",
     "self_attn.k_proj.weight", "Wk x", linear_pytorch, ""},
    {Point::v_proj, "model.layers.{i}.self_attn.v_proj", "B S k*D", Occurs::always, true, "input_layernorm",
     "self_attn.v_proj.weight", "Wv x", linear_pytorch, ""},
    {Point::q, "model.layers.{i}.self_attn.q", "B S h D", Occurs::always, false, "q_proj", "",
     "the same numbers, seen as h heads of D", head_rows_q, "attn.hook_q"},
    {Point::k, "model.layers.{i}.self_attn.k", "B S k D", Occurs::always, false, "k_proj", "",
     "the same numbers, seen as k heads of D", head_rows_kv, "attn.hook_k"},
    {Point::v, "model.layers.{i}.self_attn.v", "B S k D", Occurs::always, false, "v_proj", "",
     "the same numbers, seen as k heads of D", head_rows_kv, "attn.hook_v"},
    {Point::q_norm, "model.layers.{i}.self_attn.q_norm", "B S h D", Occurs::always, true, "q",
     "self_attn.q_norm.weight", rms_norm_formula, rms_norm_pytorch, ""},
    {Point::k_norm, "model.layers.{i}.self_attn.k_norm", "B S k D", Occurs::always, true, "k",
     "self_attn.k_norm.weight", rms_norm_formula, rms_norm_pytorch, ""},
    {Point::q_rope, "model.layers.{i}.self_attn.q_rope", "B S h D", Occurs::always, true, "q_norm cos sin", "",
     rope_formula, rope_pytorch, "attn.hook_rot_q"},
    {Point::k_rope, "model.layers.{i}.self_attn.k_rope", "B S k D", Occurs::always, true, "k_norm cos sin", "",
     rope_formula, rope_pytorch, "attn.hook_rot_k"},
    {Point::k_cache, "model.layers.{i}.self_attn.k_cache", "B T k D", Occurs::cached, false, "k_rope past_k", "",
     "the P cached keys, then the S new ones", "torch.cat([past_k, x], 1)", ""},
    {Point::v_cache, "model.layers.{i}.self_attn.v_cache", "B T k D", Occurs::cached, false, "v past_v", "",
     "the P cached values, then the S new ones", "torch.cat([past_v, x], 1)", ""},
    {Point::k_repeat, "model.layers.{i}.self_attn.k_repeat", "B T h D", Occurs::always, false, "keys", "",
     "each key head h/k times in a row: a view, nothing is copied", "x.repeat_interleave(h // k, 2)", ""},
    {Point::v_repeat, "model.layers.{i}.self_attn.v_repeat", "B T h D", Occurs::always, false, "values", "",
     "each value head h/k times in a row: a view, nothing is copied", "x.repeat_interleave(h // k, 2)", ""},
    {Point::scores, "model.layers.{i}.self_attn.scores", "B h S T", Occurs::always, true, "q_rope k_repeat", "",
     "q k^T / sqrt(D)", "x.transpose(1, 2) @ k_repeat.permute(0, 2, 3, 1) / math.sqrt(D)", ""},
    {Point::masked_scores, "model.layers.{i}.self_attn.masked_scores", "B h S T", Occurs::always, true, "scores", "",
     "-inf where the key comes after the query; -1e9 added where it is padding",
     "x + torch.full((S, T), -torch.inf).triu(P + 1) + (1 - attention_mask[:, None, None]) * -1e9",
     "attn.hook_attn_scores"},
    {Point::attn_weights, "model.layers.{i}.self_attn.attn_weights", "B h S T", Occurs::always, true, "masked_scores",
     "", "softmax over the keys: exp(x - max) / sum(exp(x - max))", "torch.softmax(x, -1)", "attn.hook_pattern"},
    {Point::z, "model.layers.{i}.self_attn.z", "B h S D", Occurs::always, true, "attn_weights v_repeat", "",
     "the values, weighted: sum over keys of weight * v", "x @ v_repeat.transpose(1, 2)", "attn.hook_z"},
    {Point::merged, "model.layers.{i}.self_attn.merged", "B S h*D", Occurs::always, true, "z", "",
     "the heads side by side: merged[b, s, j*D + d] = z[b, j, s, d]", "x.transpose(1, 2).reshape(B, S, h * D)", ""},
    {Point::o_proj, "model.layers.{i}.self_attn.o_proj", "B S H", Occurs::always, true, "merged",
     "self_attn.o_proj.weight", "Wo x", linear_pytorch, ""},
    {Point::self_attn, "model.layers.{i}.self_attn", "B S H", Occurs::always, true, "o_proj", "",
     "attention's increment to the residual stream", "x", "hook_attn_out"},
    {Point::resid_mid, "model.layers.{i}.resid_mid", "B S H", Occurs::always, true, "resid_pre self_attn", "",
     "x + attn(input_layernorm(x))", "x + self_attn", "hook_resid_mid"},
    {Point::post_attention_layernorm, "model.layers.{i}.post_attention_layernorm", "B S H", Occurs::always, true,
     "resid_mid", "post_attention_layernorm.weight", rms_norm_formula, rms_norm_pytorch, ""},

    {Point::gate_proj, "model.layers.{i}.mlp.gate_proj", "B S I", Occurs::dense, true, "post_attention_layernorm",
     "mlp.gate_proj.weight", "Wgate x", linear_pytorch, "mlp.hook_pre"},
    {Point::act_fn, "model.layers.{i}.mlp.act_fn", "B S I", Occurs::dense, true, "gate_proj", "",
     "act(gate), with silu(x) = x * sigmoid(x)", "ACT2FN[hidden_act](x)", ""},
    {Point::up_proj, "model.layers.{i}.mlp.up_proj", "B S I", Occurs::dense, true, "post_attention_layernorm",
     "mlp.up_proj.weight", "Wup x", linear_pytorch, "mlp.hook_pre_linear"},
    {Point::gated, "model.layers.{i}.mlp.gated", "B S I", Occurs::dense, true, "act_fn up_proj", "", "act(gate) * up",
     "x * up_proj", "mlp.hook_post"},
    {Point::down_proj, "model.layers.{i}.mlp.down_proj", "B S H", Occurs::dense, true, "gated", "mlp.down_proj.weight",
     "Wdown x", linear_pytorch, ""},

    {Point::router_logits, "model.layers.{i}.mlp.gate", "B*S E", Occurs::moe, true, "post_attention_layernorm",
     "mlp.gate.weight", "Wg x, one row a token", "F.linear(x.reshape(B * S, H), weight)", ""},
    {Point::router_probs, "model.layers.{i}.mlp.router_probs", "B*S E", Occurs::moe, true, "gate", "",
     "softmax over the experts", "torch.softmax(x, -1)", ""},
    {Point::topk_idx, "model.layers.{i}.mlp.topk_idx", "B*S K", Occurs::moe, false, "router_probs", "",
     "the K experts with the largest p, largest first", "torch.topk(x, K).indices", ""},
    {Point::topk_weight, "model.layers.{i}.mlp.topk_weight", "B*S K", Occurs::moe, true, "router_probs topk_idx", "",
     "p of the chosen, divided by their sum + 1e-20 if norm_topk_prob",
     "x.gather(1, topk_idx) / (x.gather(1, topk_idx).sum(-1, keepdim=True) + 1e-20 if norm_topk_prob else 1)", ""},
    {Point::expert, "model.layers.{i}.mlp.experts.{e}", "N H", Occurs::moe, true, "post_attention_layernorm topk_idx",
     "mlp.experts.{e}.gate_proj.weight mlp.experts.{e}.up_proj.weight mlp.experts.{e}.down_proj.weight",
     "Wdown (act(Wgate x) * Wup x), for the tokens that chose expert e",
     "F.linear(ACT2FN[hidden_act](F.linear(x_e, gate_proj)) * F.linear(x_e, up_proj), down_proj)", ""},

    {Point::mlp, "model.layers.{i}.mlp", "B S H", Occurs::always, true, "down_proj", "",
     "the MLP's increment to the residual stream", "x", "hook_mlp_out"},
    {Point::resid_post, "model.layers.{i}.resid_post", "B S H", Occurs::always, true, "resid_mid mlp", "",
     "mid + mlp(post_attention_layernorm(mid))", "x + mlp", "hook_resid_post"},

    {Point::norm, "model.norm", "B S H", Occurs::always, true, "stream", "norm.weight", rms_norm_formula,
     rms_norm_pytorch, ""},
    {Point::lm_head, "lm_head", "B S V", Occurs::always, true, "norm", "lm_head.weight",
     "logits = W_head x; the last logits_to_keep positions if that is set", "F.linear(x[:, -logits_to_keep:], weight)",
     ""},
    {Point::shift_logits, "loss.shift_logits", "B S-1 V", Occurs::with_labels, false, "lm_head", "",
     "the logits at t predict the label at t + 1", "x[:, :-1]", ""},
    {Point::shift_labels, "loss.shift_labels", "B S-1", Occurs::with_labels, false, "labels", "",
     "labels without the first", "x[:, 1:]", ""},
    {Point::per_token_loss, "loss.per_token", "B S-1", Occurs::with_labels, false, "shift_logits shift_labels", "",
     "-log softmax(logits)[label]; 0 where the label is -100",
     "F.cross_entropy(x.transpose(1, 2), shift_labels, reduction='none')", ""},
    {Point::loss, "loss", "", Occurs::with_labels, false, "per_token shift_labels", "",
     "mean over the positions whose label is not -100", "x.sum() / (shift_labels != -100).sum()", ""},
};

}  // namespace

const std::vector<PointInfo>& point_table() {
    return table;
}

const PointInfo& info(Point point) {
    return table[static_cast<std::size_t>(point)];
}

std::string_view formula_of(Point point, bool use_moe) {
    if (point == Point::mlp && use_moe) return "sum over the K chosen experts of topk_weight * expert(x)";
    return info(point).formula;
}

std::string_view pytorch_of(Point point, bool use_moe) {
    if (point == Point::mlp && use_moe) {
        return "sum(torch.zeros(B * S, H).index_put(((topk_idx == e).any(-1),), experts[e] * topk_weight[topk_idx == "
               "e][:, None]) for e in experts).view(B, S, H)";
    }
    return info(point).pytorch;
}

SourceLine source_of(Point point) {
    for (const auto& [name_of_point, line] : stage_sources) {
        if (name_of_point == point) return line;
    }
    return {};
}

}  // namespace minimind
