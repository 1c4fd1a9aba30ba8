// Lab of lesson 11: the inside of attention, done by hand beside the module.
//
// The model computes all heads in blocks and skips what the causal mask hides. Here every head is written out as in the
// textbook, with whole matrices, and both ways must agree.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "console/model_loading.hpp"
#include "labs.hpp"
#include "model/products.hpp"
#include "model/rms_norm.hpp"
#include "trace/recorder.hpp"

namespace minimind {

namespace {

void print_shape(const std::string& name, const Shape& shape) {
    fmt::print("{}.shape={}\n", name, shape_text(shape));
}

/// One head as a learner would write it: q [D, S], k and v [D, S] -> z [D, S] and the weights [S keys, S queries].
struct Head {
    arma::fmat weights;  // column s: how much query s takes of each key
    arma::fmat z;
};

Head attend(const arma::fmat& q, const arma::fmat& k, const arma::fmat& v) {
    const float scale = 1.0F / std::sqrt(static_cast<float>(q.n_rows));
    arma::fmat scores = k.t() * q;  // [S keys, S queries]
    scores *= scale;
    for (arma::uword query = 0; query < scores.n_cols; ++query) {
        for (arma::uword key = query + 1; key < scores.n_rows; ++key) {
            scores(key, query) = -std::numeric_limits<float>::infinity();  // a key that comes after the query
        }
    }
    Head head;
    head.weights = arma::exp(scores.each_row() - arma::max(scores, 0));
    head.weights.each_row() /= arma::sum(head.weights, 0);
    head.z = v * head.weights;
    return head;
}

/// The same numbers as module: projections, norms, rotation, all heads one by one, merged and projected.
struct ManualAttention {
    arma::fmat first_weights;  // of batch row 0, head 0
    arma::fmat output;         // [B, S, H]
};

ManualAttention attend_by_hand(const Attention& attn, const arma::fmat& x, const ModelConfig& config, Batch batch) {
    const RotaryTables rope = rope_tables(config, 0, batch.seq);
    const arma::fmat q = apply_rope(rms_norm(linear(attn.q_proj, x), attn.q_norm, config.rms_norm_eps), rope, batch);
    const arma::fmat k = apply_rope(rms_norm(linear(attn.k_proj, x), attn.k_norm, config.rms_norm_eps), rope, batch);
    const arma::fmat v = linear(attn.v_proj, x);

    const auto dim = static_cast<arma::uword>(config.head_dim);
    const auto seq = static_cast<arma::uword>(batch.seq);
    const auto n_rep = static_cast<arma::uword>(config.heads_per_kv_head());
    arma::fmat merged(q.n_rows, q.n_cols, arma::fill::none);  // [B, S, h*D]
    ManualAttention result;
    for (arma::uword b = 0; b < static_cast<arma::uword>(batch.batch); ++b) {
        const arma::span tokens(b * seq, b * seq + seq - 1);
        for (arma::uword j = 0; j < static_cast<arma::uword>(config.num_attention_heads); ++j) {
            const arma::span q_rows(j * dim, j * dim + dim - 1);
            const arma::uword kv = j / n_rep;  // consecutive query heads share a key/value head
            const arma::span kv_rows(kv * dim, kv * dim + dim - 1);
            const Head head = attend(q(q_rows, tokens), k(kv_rows, tokens), v(kv_rows, tokens));
            merged(q_rows, tokens) = head.z;
            if (b == 0 && j == 0) result.first_weights = head.weights;
        }
    }
    result.output = linear(attn.o_proj, merged);
    return result;
}

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

void print_config(const ModelConfig& config) {
    fmt::print("[Config]\nhidden_size={}\nnum_attention_heads={}\nnum_key_value_heads={}\n", config.hidden_size,
               config.num_attention_heads, config.num_key_value_heads);
    fmt::print("n_rep={}\nhead_dim={}\nflash_attn=False\n", config.heads_per_kv_head(), config.head_dim);
}

/// Everything that follows from the sizes alone: how the axes move through attention.
void print_shapes(const ModelConfig& config, Batch batch) {
    const auto [b, s] = batch;
    const std::int64_t heads = config.num_attention_heads;
    const std::int64_t kv_heads = config.num_key_value_heads;
    const std::int64_t dim = config.head_dim;
    fmt::print("\n[Input]\n");
    print_shape("x", {b, s, config.hidden_size});
    fmt::print("\n[Linear Projections]\n");
    print_shape("q_proj(x)", {b, s, config.q_size()});
    print_shape("k_proj(x)", {b, s, config.kv_size()});
    print_shape("v_proj(x)", {b, s, config.kv_size()});
    print_shape("o_proj.weight", {config.hidden_size, config.q_size()});
    fmt::print("\n[Head Reshape]\n");
    print_shape("xq", {b, s, heads, dim});
    print_shape("xk", {b, s, kv_heads, dim});
    print_shape("xv", {b, s, kv_heads, dim});
    fmt::print("\n[Q/K Norm]\n");
    print_shape("q_norm(xq)", {b, s, heads, dim});
    print_shape("k_norm(xk)", {b, s, kv_heads, dim});
    fmt::print("\n[RoPE Shape Only]\n");
    print_shape("cos", {s, dim});
    print_shape("sin", {s, dim});
    fmt::print("xq after RoPE shape={}\n", shape_text({b, s, heads, dim}));
    fmt::print("xk after RoPE shape={}\n", shape_text({b, s, kv_heads, dim}));
    fmt::print("\n[Repeat KV and Transpose]\n");
    print_shape("xq_t", {b, heads, s, dim});
    fmt::print("xk before repeat shape={}\n", shape_text({b, s, kv_heads, dim}));
    fmt::print("xk after repeat shape={}\n", shape_text({b, s, heads, dim}));
    print_shape("xk_t", {b, heads, s, dim});
    print_shape("xv_t", {b, heads, s, dim});
}

void print_weights(const ModelConfig& config, Batch batch, const arma::fmat& weights) {
    const auto [b, s] = batch;
    fmt::print("\n[Scores and Causal Mask]\n");
    print_shape("scores", {b, config.num_attention_heads, s, s});
    print_shape("causal_mask", {s, s});
    print_shape("attention_weights", {b, config.num_attention_heads, s, s});
    fmt::print("attention weights for batch 0, head 0:\n");
    float future = 0.0F;
    for (arma::uword query = 0; query < weights.n_cols; ++query) {
        for (arma::uword key = 0; key < weights.n_rows; ++key) {
            fmt::print("{}{: .4f}", key == 0 ? "" : " ", weights(key, query));
            if (key > query) future += weights(key, query);
        }
        fmt::print("\n");
    }
    fmt::print("\nfuture_attention_mass_for_batch0_head0={:.10f}\n", future);
}

}  // namespace

int trace_attention_shapes(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    model_flags.defaults.num_hidden_layers = 1;
    InputFlags input_flags;
    input_flags.seq_len = 5;
    ConsoleFlags console;
    Arguments args("trace_attention_shapes", "The inside of attention, by hand beside the module (lesson 11).");
    model_flags.add_sizes(args);
    model_flags.add_weights(args);
    model_flags.add_checkpoint(args);
    input_flags.add_batch(args);
    input_flags.add_ids(args);
    input_flags.add_text(args);
    console.add(args);
    args.example("minimind trace_attention_shapes", "the course's default model, on random hidden states");
    args.example("minimind trace_attention_shapes --text '你好，世界'", "on what the first block sees of a text");
    args.example("minimind trace_attention_shapes --num_key_value_heads 1", "multi-query attention");
    if (!args.parse(words)) return 0;

    LoadedModel loaded = load_model(model_flags, input_flags, console);
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

    print_config(config);
    print_shapes(config, batch);
    print_weights(config, batch, manual.first_weights);
    const auto [b, s] = batch;
    fmt::print("\n[Output]\n");
    print_shape("weighted_values", {b, config.num_attention_heads, s, config.head_dim});
    print_shape("merged_heads", {b, s, config.q_size()});
    print_shape("manual_output", {b, s, config.hidden_size});
    print_shape("module_output", {b, s, config.hidden_size});
    fmt::print("past_kv=None\n");
    fmt::print("manual_vs_module_max_abs_diff={:.12f}\n", arma::abs(manual.output - module).max());
    fmt::print("\n[Shape Rule]\n");
    fmt::print("input hidden_states:  [batch, seq, hidden_size]\n");
    fmt::print("Q after reshape:      [batch, seq, num_attention_heads, head_dim]\n");
    fmt::print("K/V after reshape:    [batch, seq, num_key_value_heads, head_dim]\n");
    fmt::print("scores:               [batch, num_attention_heads, seq, seq]\n");
    fmt::print("attention output:     [batch, seq, hidden_size]\n");
    return 0;
}

}  // namespace minimind
