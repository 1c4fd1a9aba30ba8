// Lab of lesson 11: the inside of attention, done by hand beside the module.
//
// The model computes all heads in blocks and skips what the causal mask hides. by_hand.cpp writes every head out as in
// the textbook, with whole matrices, and both ways must agree.
#include <fmt/format.h>

#include "console/model_loading.hpp"
#include "labs.hpp"
#include "report/lab_output.hpp"
#include "trace/recorder.hpp"
#include "trace_attention_shapes/by_hand.hpp"
#include "trace_attention_shapes/explanations.hpp"

namespace minimind {

namespace {

/// torch.randn(B, S, H)
arma::fmat random_states(const ModelConfig& config, Batch batch, Generator& generator) {
    arma::fmat x(static_cast<arma::uword>(config.hidden_size), static_cast<arma::uword>(batch.tokens()));
    generator.fill_normal(x.memptr(), x.n_elem, 0.0, 1.0);
    return x;
}

/// What the attention of block 0 gets in a forward pass: the normalised embeddings [B, S, H].
arma::fmat first_block_input(const CausalLm& model, const TokenIds& ids) {
    Recorder recorder([](Site site) { return site == Site{Point::input_layernorm, 0}; });
    ForwardOptions options;
    options.hook = &recorder;
    model.forward(ids, options);
    const Record& record = recorder.records().at(0);
    return {record.f32.data(), static_cast<arma::uword>(record.shape[2]), static_cast<arma::uword>(ids.batch.tokens())};
}

/// Everything that follows from the sizes alone: how the axes move through attention.
void show_shapes(LabOutput& out, const ModelConfig& config, Batch batch) {
    const auto [b, s] = batch;
    const std::int64_t dim = config.head_dim;
    const Shape q_heads = {b, s, config.num_attention_heads, dim};
    const Shape kv_heads = {b, s, config.num_key_value_heads, dim};
    const Shape by_head = {b, config.num_attention_heads, s, dim};
    const auto plain_shape = [&out](const std::string& name, const Shape& shape) {
        out.value(name + " shape", shape, shape_text(shape));
    };
    out.section("Input");
    out.shape("x", {b, s, config.hidden_size});
    out.section("Linear Projections");
    out.shape("q_proj(x)", {b, s, config.q_size()});
    out.shape("k_proj(x)", {b, s, config.kv_size()});
    out.shape("v_proj(x)", {b, s, config.kv_size()});
    out.shape("o_proj.weight", {config.hidden_size, config.q_size()});
    out.section("Head Reshape");
    out.shape("xq", q_heads);
    out.shape("xk", kv_heads);
    out.shape("xv", kv_heads);
    out.section("Q/K Norm");
    out.shape("q_norm(xq)", q_heads);
    out.shape("k_norm(xk)", kv_heads);
    out.section("RoPE Shape Only");
    out.shape("cos", {s, dim});
    out.shape("sin", {s, dim});
    plain_shape("xq after RoPE", q_heads);
    plain_shape("xk after RoPE", kv_heads);
    out.section("Repeat KV and Transpose");
    out.shape("xq_t", by_head);
    plain_shape("xk before repeat", kv_heads);
    plain_shape("xk after repeat", q_heads);
    out.shape("xk_t", by_head);
    out.shape("xv_t", by_head);
}

void show_weights(LabOutput& out, const ModelConfig& config, Batch batch, const arma::fmat& weights) {
    const auto [b, s] = batch;
    out.section("Scores and Causal Mask");
    out.shape("scores", {b, config.num_attention_heads, s, s});
    out.shape("causal_mask", {s, s});
    out.shape("attention_weights", {b, config.num_attention_heads, s, s});
    out.line("attention weights for batch 0, head 0:");
    out.matrix("attention_weights[0, 0]", weights.t(), "{: .4f}");  // a row a query
    out.line("");
    float future = 0.0F;  // what queries take of keys that come after them
    for (arma::uword query = 0; query + 1 < weights.n_cols; ++query) {
        future += arma::accu(weights.col(query).tail(weights.n_rows - query - 1));
    }
    out.value("future_attention_mass_for_batch0_head0", future, fmt::format("{:.10f}", future));
}

void show_output(LabOutput& out, const ModelConfig& config, Batch batch, float difference) {
    const auto [b, s] = batch;
    out.section("Output");
    out.shape("weighted_values", {b, config.num_attention_heads, s, config.head_dim});
    out.shape("merged_heads", {b, s, config.q_size()});
    out.shape("manual_output", {b, s, config.hidden_size});
    out.shape("module_output", {b, s, config.hidden_size});
    out.value("past_kv", nullptr);
    out.value("manual_vs_module_max_abs_diff", difference, fmt::format("{:.12f}", difference));
    out.section("Shape Rule");
    out.axes("input hidden_states", {"batch", "seq", "hidden_size"}, 22);
    out.axes("Q after reshape", {"batch", "seq", "num_attention_heads", "head_dim"}, 22);
    out.axes("K/V after reshape", {"batch", "seq", "num_key_value_heads", "head_dim"}, 22);
    out.axes("scores", {"batch", "num_attention_heads", "seq", "seq"}, 22);
    out.axes("attention output", {"batch", "seq", "hidden_size"}, 22);
}

void show_config(LabOutput& out, const ModelConfig& config) {
    out.section("Config");
    out.value("hidden_size", config.hidden_size);
    out.value("num_attention_heads", config.num_attention_heads);
    out.value("num_key_value_heads", config.num_key_value_heads);
    out.value("n_rep", config.heads_per_kv_head());
    out.value("head_dim", config.head_dim);
    out.value("flash_attn", false);
}

}  // namespace

int trace_attention_shapes(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    model_flags.defaults.num_hidden_layers = 1;
    InputFlags input_flags;
    input_flags.seq_len = 5;
    LabFlags lab_flags;
    Arguments args("trace_attention_shapes", "The inside of attention, by hand beside the module (lesson 11).");
    model_flags.add_sizes(args);
    model_flags.add_weights(args);
    model_flags.add_checkpoint(args);
    input_flags.add_batch(args);
    input_flags.add_ids(args);
    input_flags.add_text(args);
    lab_flags.add(args);
    args.example("minimind trace_attention_shapes", "the course's default model, on random hidden states");
    args.example("minimind trace_attention_shapes --text '你好，世界'", "on what the first block sees of a text");
    args.example("minimind trace_attention_shapes --num_key_value_heads 1", "multi-query attention");
    if (!args.parse(words)) return 0;

    LoadedModel loaded = load_model(model_flags, input_flags, lab_flags.console);
    const ModelConfig& config = loaded.model.config();
    const TokenIds ids = input_flags.tokens(config).ids;
    const Batch batch = ids.batch;
    const bool is_random = !input_flags.has_ids() && !input_flags.tokenizer();  // the course's way
    const arma::fmat x =
        is_random ? random_states(config, batch, loaded.generator) : first_block_input(loaded.model, ids);

    const Attention& attn = loaded.model.model().layers[0].self_attn;
    const ManualAttention manual = attend_by_hand(attn, x, config, batch);
    const RotaryTables rope = rope_tables(config, 0, batch.seq);
    const arma::fmat module = attn.forward(x, {config, batch, rope, {}}, nullptr, StageTrace(nullptr, batch));

    LabOutput out("trace_attention_shapes", lab_flags);
    out.explain_with(explain_attention_shapes(config, batch, is_random));
    show_config(out, config);
    show_shapes(out, config, batch);
    show_weights(out, config, batch, manual.first_weights);
    show_output(out, config, batch, arma::abs(manual.output - module).max());
    out.finish();
    return 0;
}

}  // namespace minimind
