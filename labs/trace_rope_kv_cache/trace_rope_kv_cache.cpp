// Lab of lesson 12: rotary positions turn queries and keys, and a cache of keys and values spares the tokens before from
// being computed again, with the same result.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console/language.hpp"
#include "console/model_loading.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "generate/generation.hpp"
#include "labs.hpp"

namespace minimind {

namespace {

void print_shape(const std::string& name, const Shape& shape) {
    fmt::print("{}.shape={}\n", name, shape_text(shape));
}

std::string ids_text(const std::vector<std::int64_t>& ids) {
    return fmt::format("[[{}]]", fmt::join(ids, ", "));
}

/// The ids of --text, --chat or --input_ids, else the course's: (4i + 3) mod V. One row of at least two.
TokenIds ids_of(const InputFlags& input_flags, const ModelConfig& config) {
    TokenIds ids = input_flags.tokens(config).ids;
    if (!input_flags.has_ids() && !input_flags.tokenizer()) {
        for (std::int64_t i = 0; i < ids.batch.seq; ++i)
            ids.ids[static_cast<std::size_t>(i)] = (4 * i + 3) % config.vocab_size;
    }
    if (ids.batch.batch == 1 && ids.batch.seq >= 2) return ids;
    throw Error("this lab needs one row of at least two tokens")
        .note("all but the last go into the cache, and the last is computed on it");
}

void print_config(const ModelConfig& config) {
    fmt::print("[Config]\nhidden_size={}\nnum_attention_heads={}\nnum_key_value_heads={}\nhead_dim={}\n",
               config.hidden_size, config.num_attention_heads, config.num_key_value_heads, config.head_dim);
    fmt::print("max_position_embeddings={}\nrope_theta={:.1f}\n", config.max_position_embeddings, config.rope_theta);
    const Shape table = {config.max_position_embeddings, config.head_dim};
    fmt::print("\n[RoPE Table]\n");
    for (const char* name : {"freqs_cos", "freqs_sin", "model.model.freqs_cos", "model.model.freqs_sin"}) {
        print_shape(name, table);
    }
}

/// Random heads [1, S, heads, D] before and after rotation: position 0 stays, the others turn.
void show_rotation(const ModelConfig& config, std::int64_t seq, Generator& generator) {
    const Batch batch{1, seq};
    const RotaryTables rope = rope_tables(config, 0, seq);
    arma::fmat q(static_cast<arma::uword>(config.q_size()), static_cast<arma::uword>(seq));
    arma::fmat k(static_cast<arma::uword>(config.kv_size()), static_cast<arma::uword>(seq));
    generator.fill_normal(q.memptr(), q.n_elem, 0.0, 1.0);  // torch.randn(1, S, heads, D)
    generator.fill_normal(k.memptr(), k.n_elem, 0.0, 1.0);
    const arma::fmat q_rope = apply_rope(q, rope, batch);
    const arma::fmat k_rope = apply_rope(k, rope, batch);

    const Shape q_shape = {1, seq, config.num_attention_heads, config.head_dim};
    const Shape k_shape = {1, seq, config.num_key_value_heads, config.head_dim};
    fmt::print("\n[Apply RoPE]\n");
    print_shape("q_before_rope", q_shape);
    print_shape("k_before_rope", k_shape);
    print_shape("cos_slice", {seq, config.head_dim});
    print_shape("sin_slice", {seq, config.head_dim});
    print_shape("q_after_rope", q_shape);
    print_shape("k_after_rope", k_shape);
    fmt::print("q_changed_max_abs_diff={:.8f}\n", arma::abs(q_rope - q).max());
    fmt::print("k_changed_max_abs_diff={:.8f}\n", arma::abs(k_rope - k).max());
}

/// The last token alone, on a cache of all tokens before it, against the whole sequence at once.
void show_cache(const CausalLm& model, const TokenIds& ids) {
    const ModelConfig& config = model.config();
    const std::int64_t seq = ids.batch.seq;
    const TokenIds prefix = ids.positions(0, seq - 1);
    const TokenIds last = ids.positions(seq - 1, 1);
    const auto cached = [&](std::int64_t length) {
        return Shape{1, length, config.num_key_value_heads, config.head_dim};
    };

    KvCache cache(config);
    ForwardOptions options;
    options.past_key_values = &cache;
    model.forward(prefix, options);
    fmt::print("\n[KV Cache Growth]\n");
    fmt::print("input_ids={}\nprefix_ids={}\nlast_id={}\n", ids_text(ids.ids), ids_text(prefix.ids),
               ids_text(last.ids));
    print_shape("prefix_layer0_k", cached(cache.layer(0).length()));
    print_shape("prefix_layer0_v", cached(cache.layer(0).length()));
    const arma::fmat step_logits = model.forward(last, options).logits;  // [1, 1, V]
    print_shape("step_layer0_k", cached(cache.layer(0).length()));
    print_shape("step_layer0_v", cached(cache.layer(0).length()));
    fmt::print("expected_prefix_cache_len={}\nexpected_step_cache_len={}\n", seq - 1, seq);

    const arma::fmat full_logits = model.forward(ids).logits;  // [1, S, V]
    const arma::fmat full_last_logits = full_logits.tail_cols(1);
    fmt::print("\n[Full Forward vs Incremental Cache Forward]\n");
    print_shape("full_logits", {1, seq, config.vocab_size});
    print_shape("step_logits", {1, 1, config.vocab_size});
    print_shape("full_last_logits", {1, config.vocab_size});
    print_shape("step_last_logits", {1, config.vocab_size});
    fmt::print("full_vs_incremental_last_logits_max_abs_diff={:.12f}\n",
               arma::abs(full_last_logits - step_logits).max());
}

std::vector<std::int64_t> generate_greedily(const CausalLm& model, const TokenIds& ids, std::int64_t max_new_tokens,
                                            bool use_cache) {
    SamplingSettings sampling;
    sampling.greedy = true;
    Sampler sampler(sampling, 0);  // nothing is drawn, so the seed does not matter
    GenerationSettings settings;
    settings.max_new_tokens = max_new_tokens;
    settings.eos.reset();
    settings.use_cache = use_cache;
    return generate(model, ids, settings, sampler).ids.ids;
}

void show_generation(const CausalLm& model, const TokenIds& ids, std::int64_t max_new_tokens) {
    const std::vector<std::int64_t> with_cache = generate_greedily(model, ids, max_new_tokens, true);
    const std::vector<std::int64_t> without = generate_greedily(model, ids, max_new_tokens, false);
    fmt::print("\n[Generate With Cache vs Without Cache]\n");
    fmt::print("generated_with_cache={}\ngenerated_without_cache={}\n", ids_text(with_cache), ids_text(without));
    fmt::print("cache_and_no_cache_generate_match={}\n", python_bool(with_cache == without));
}

void print_reading_rule(Language language) {
    fmt::print("\n[Reading Rule]\n");
    fmt::print("{}\n", text(language, "RoPE turns q and k by their position and leaves their shapes and lengths alone.",
                            "RoPE 按位置旋转 q 和 k，不改变它们的 shape 和长度。"));
    fmt::print("{}\n", text(language, "The cache keeps k and v of the key/value heads, after the rotation.",
                            "缓存保存的是旋转之后、按 KV 头存放的 k 和 v。"));
    fmt::print("{}\n", text(language, "With the cache a step computes one token only; the logits stay the same.",
                            "有了缓存，每一步只计算一个 token，logits 不变。"));
}

}  // namespace

int trace_rope_kv_cache(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    model_flags.defaults.vocab_size = 128;
    InputFlags input_flags;
    input_flags.batch_size = 1;
    input_flags.seq_len = 5;
    std::int64_t max_new_tokens = 3;
    ConsoleFlags console;
    Arguments args("trace_rope_kv_cache", "Rotary positions, and a cache that changes nothing (lesson 12).");
    model_flags.add_sizes(args);
    model_flags.add_weights(args);
    model_flags.add_checkpoint(args);
    input_flags.add_ids(args);
    input_flags.add_text(args);
    args.group("input");
    args.integer("--seq_len", input_flags.seq_len, "tokens; without others the ids are (4i + 3) mod vocab_size",
                 at_least(2));
    args.integer("--max_new_tokens", max_new_tokens, "tokens to generate with and without the cache", at_least(0));
    console.add(args);
    args.example("minimind trace_rope_kv_cache", "the course's default model");
    args.example("minimind trace_rope_kv_cache --seq_len 33 --max_new_tokens 8", "a longer text");
    if (!args.parse(words)) return 0;

    input_flags.read_text(model_flags.checkpoint());
    if (input_flags.tokenizer()) {  // as many words as the text may use
        model_flags.defaults.vocab_size = static_cast<std::int64_t>(input_flags.tokenizer()->id_limit());
    }
    LoadedModel loaded = load_model(model_flags, input_flags, console);
    const ModelConfig& config = loaded.model.config();
    const TokenIds ids = ids_of(input_flags, config);

    print_config(config);
    show_rotation(config, ids.batch.seq, loaded.generator);
    show_cache(loaded.model, ids);
    show_generation(loaded.model, ids.positions(0, ids.batch.seq - 1), max_new_tokens);
    print_reading_rule(console.language());
    return 0;
}

}  // namespace minimind
