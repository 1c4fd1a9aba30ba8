#include "report/hook_reference.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace minimind {

namespace {

/// "blocks.{i}.attn.hook_q", or "" without an alias.
std::string alias_pattern(const PointInfo& point) {
    if (point.alias.empty()) return "";
    const bool in_layer = point.name.find("{i}") != std::string_view::npos;
    return (in_layer ? "blocks.{i}." : "") + std::string(point.alias);
}

std::string bracketed_axes(const PointInfo& point) {
    std::string text = "[";
    for (const char c : point.axes) text += c == ' ' ? std::string(", ") : std::string(1, c);
    return text + "]";
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> result;
    std::string word;
    for (const char c : text) {
        if (c != ' ') {
            word.push_back(c);
        } else if (!word.empty()) {
            result.push_back(std::exchange(word, {}));
        }
    }
    if (!word.empty()) result.push_back(word);
    return result;
}

std::string source_text(Point point) {
    const SourceLine source = source_of(point);
    return fmt::format("{}:{}", source.file, source.line);
}

void append_entry(std::string& text, const PointInfo& point, const Paint& paint) {
    text += fmt::format("{}  {}\n", paint.bold(point.name), bracketed_axes(point));
    const auto line = [&](std::string_view label, std::string_view value) {
        if (!value.empty()) text += fmt::format("    {:<10} {}\n", label, value);
    };
    line("formula", point.formula);
    line("pytorch", point.pytorch);
    if (pytorch_of(point.point, true) != point.pytorch) {
        line("MoE", formula_of(point.point, true));
        line("", pytorch_of(point.point, true));
    }
    line("inputs", point.inputs);
    line("parameters", point.parameters);
    line("alias", alias_pattern(point));
    if (point.occurs != Occurs::always) line("only", occurs_text(point.occurs));
    line("edit", point.editable ? "yes" : "no");
    line("source", source_text(point.point));
}

std::string code(std::string_view text) {
    if (text.empty()) return "";
    std::string escaped;
    for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
    return "`" + escaped + "`";
}

/// "layers.*.q_rope" for "layers.3.q_rope": the reference is about any layer and expert.
std::string any_number(const std::string& pattern) {
    std::string result;
    for (const char c : pattern) {
        const bool digit = c >= '0' && c <= '9';
        const bool goes_on = !result.empty() && result.back() == '*';
        if (!digit) result.push_back(c);
        if (digit && !goes_on) result.push_back('*');
    }
    return result;
}

Error unknown_point(const std::string& pattern) {
    std::vector<std::string> names;
    for (const PointInfo& point : point_table()) {
        names.emplace_back(point.name.substr(point.name.rfind('.') + 1));
        names.emplace_back(point.name);
    }
    Error error("there is no hook point called '" + pattern + "'");
    const std::string nearest = nearest_name(pattern, names);
    if (!nearest.empty()) error.help("did you mean " + nearest + "?");
    return error.help("`minimind hooks` lists them all");
}

constexpr std::string_view markdown_head = R"(# Hook points

Every stage of a forward pass that can be looked at, in order of time. `minimind hooks` prints the same table; this page
is made from it (`minimind hooks --format markdown`), and a test keeps it so.

Names are those of PyTorch's `named_modules()`, so that a learner's own forward hooks give the same names; a stage that
is no module has a suffix of its own. `{i}` is the layer, `{e}` the expert. Wherever the program takes the name of a
stage it takes the full name, a dotted end of it (`self_attn.q_rope`, `q_rope`), the alias of TransformerLens, or any of
them with `*` and `?`.

## Axes

| symbol | what |
|---|---|
| B, S | batch rows, new tokens of each |
| P, T | cached positions; all positions of keys, T = P + S |
| H, I, V | hidden_size, intermediate_size, vocab_size |
| h, k, D | query heads, key/value heads, head_dim |
| E, K, N | experts, experts a token, tokens of one expert |

## The lines of PyTorch

`x` is the first input of a point and `weight` its first parameter; other stages go by the last part of their names
(`q_rope`, `k_repeat`). `stream` is what the block before wrote (`resid_post`, or `embed_tokens` for the first);
`keys` and `values` are `k_cache` and `v_cache`, or without a cache `k_rope` and `v`; `cos` and `sin` are
`model.rope.cos` and `model.rope.sin`; `past_k` and `past_v` are what was cached before; `experts[e]` is
`mlp.experts.{e}`, and `x_e` the tokens that chose e: `post_attention_layernorm.reshape(-1, H)[(topk_idx == e).any(-1)]`
with `gate_proj`, `up_proj` and `down_proj` the weights of that expert. `positions` counts from P in float32, `inv_freq` is
`1 / theta ** (torch.arange(0, D, 2).float() / D)` (YaRN stretches it), `attention_factor` is 1 without YaRN. The rest is
the config (`eps` is rms_norm_eps) and `torch`, `math`, `F` (torch.nn.functional), `ACT2FN` (transformers.activations).
`tests/pytorch/run` evaluates every line on a recorded trace and compares.

## Points

)";

}  // namespace

std::string occurs_text(Occurs occurs) {
    switch (occurs) {
        case Occurs::always:
            return "always";
        case Occurs::dense:
            return "dense";
        case Occurs::moe:
            return "MoE";
        case Occurs::cached:
            return "with a cache";
        case Occurs::with_labels:
            return "with labels";
    }
    return "";
}

std::vector<Point> points_named(const std::vector<std::string>& patterns) {
    std::vector<Point> points;
    std::vector<bool> used(patterns.size(), false);
    for (const PointInfo& point : point_table()) {
        bool wanted = patterns.empty();
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            if (!matches(any_number(patterns[i]), {point.point, 0, 0})) continue;
            wanted = true;
            used[i] = true;
        }
        if (wanted) points.push_back(point.point);
    }
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (!used[i]) throw unknown_point(patterns[i]);
    }
    return points;
}

std::string hook_reference_text(const std::vector<Point>& points, const Paint& paint) {
    std::string text;
    for (const Point point : points) append_entry(text, info(point), paint);
    return text;
}

nlohmann::ordered_json hook_reference_json(const std::vector<Point>& points) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Point id : points) {
        const PointInfo& point = info(id);
        const SourceLine source = source_of(id);
        list.push_back({{"name", point.name},
                        {"alias", alias_pattern(point)},
                        {"axes", words(point.axes)},
                        {"occurs", occurs_text(point.occurs)},
                        {"editable", point.editable},
                        {"inputs", words(point.inputs)},
                        {"parameters", words(point.parameters)},
                        {"formula", point.formula},
                        {"pytorch", point.pytorch},
                        {"formula_moe", formula_of(id, true)},
                        {"pytorch_moe", pytorch_of(id, true)},
                        {"source", {{"file", source.file}, {"line", source.line}}}});
    }
    return list;
}

std::string hook_reference_markdown() {
    std::string text(markdown_head);
    for (const PointInfo& point : point_table()) {
        text += fmt::format("### `{}`\n\n", point.name);
        text += fmt::format("`{}`: {}\n\n", bracketed_axes(point), point.formula);
        text += fmt::format("```python\n{}\n```\n\n", point.pytorch);
        if (pytorch_of(point.point, true) != point.pytorch) {
            text += fmt::format("MoE: {}\n\n", formula_of(point.point, true));
            text += fmt::format("```python\n{}\n```\n\n", pytorch_of(point.point, true));
        }
        text += "| | |\n|---|---|\n";
        const auto row = [&](std::string_view label, const std::string& value) {
            if (!value.empty()) text += fmt::format("| {} | {} |\n", label, value);
        };
        row("inputs", code(point.inputs));
        row("parameters", code(point.parameters));
        row("alias", code(alias_pattern(point)));
        row("occurs", occurs_text(point.occurs));
        row("edit", point.editable ? "yes" : "no");
        // The line is left out here, so that this page does not change with every edit of the code.
        row("source", code(source_of(point.point).file));
        text += "\n";
    }
    return text;
}

}  // namespace minimind
