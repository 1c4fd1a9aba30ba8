// The hook points: every stage of a forward pass that can be looked at. One table (point_table.cpp) defines name, shape,
// formula, line of PyTorch, parameters and place in the source; the reference, the docs, the lessons and the stepper
// are made from it. Its order is the order in time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minimind {

enum class Point : std::uint8_t {
    embed_tokens,
    rope_cos,
    rope_sin,
    resid_pre,
    input_layernorm,
    q_proj,
    k_proj,
    v_proj,
    q,
    k,
    v,
    q_norm,
    k_norm,
    q_rope,
    k_rope,
    k_cache,
    v_cache,
    k_repeat,
    v_repeat,
    scores,
    masked_scores,
    attn_weights,
    z,
    merged,
    o_proj,
    self_attn,
    resid_mid,
    post_attention_layernorm,
    gate_proj,
    act_fn,
    up_proj,
    gated,
    down_proj,
    router_logits,
    router_probs,
    topk_idx,
    topk_weight,
    expert,
    mlp,
    resid_post,
    norm,
    lm_head,
    shift_logits,
    shift_labels,
    per_token_loss,
    loss,
};

inline constexpr int point_count = static_cast<int>(Point::loss) + 1;

/// One stage of one forward pass: a point, the layer it belongs to, and the expert. -1 where there is none.
struct Site {
    Point point = Point::embed_tokens;
    int layer = -1;
    int expert = -1;

    friend bool operator==(const Site&, const Site&) = default;
};

/// Which models and calls have a point.
enum class Occurs { always, dense, moe, cached, with_labels };

struct PointInfo {
    Point point;
    std::string_view name;  // "model.layers.{i}.self_attn.q_proj"; {i} is the layer, {e} the expert
    std::string_view axes;  // "B S H": one symbol an axis, "" for a scalar
    Occurs occurs;
    bool editable;                // a hook may change it: no views, indices, rotary tables, labels or losses
    std::string_view inputs;      // the stages it reads, by the last part of their names, separated by spaces
    std::string_view parameters;  // the parameters it reads, likewise, named within the layer
    std::string_view formula;     // as in a textbook
    std::string_view pytorch;     // the same in one line of PyTorch: x is the first input, weight the first parameter
    std::string_view alias;       // TransformerLens's name of the same tensor, "" if it has none
};

/// The table, in order of time.
const std::vector<PointInfo>& point_table();

const PointInfo& info(Point point);

/// Where the C++ computes a point.
struct SourceLine {
    std::string_view file;  // "src/model/attention.cpp"
    int line = 0;
};
SourceLine source_of(Point point);

/// "model.layers.1.self_attn.q_proj": the name of a stage with its layer and expert filled in.
std::string site_name(Site site);
/// TransformerLens's name, "blocks.1.attn.hook_q", or "" if it has none.
std::string site_alias(Site site);

/// Shell-like: * stands for any characters, ? for one.
bool matches_name(std::string_view glob, std::string_view name);

/// What stands in a point's place in a model with experts: formula and line of PyTorch of the MoE's own `mlp`.
std::string_view formula_of(Point point, bool use_moe);
std::string_view pytorch_of(Point point, bool use_moe);

/// Whether a name or glob that a user typed means this stage. It may be the full name, an alias, or a dotted end of the
/// name ("self_attn.q_rope", "q_rope"); * stands for any characters, ? for one.
bool matches(std::string_view pattern, Site site);

}  // namespace minimind
