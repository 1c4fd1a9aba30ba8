// Lab of lesson 12: rotary positions turn queries and keys, and a cache of keys and values spares the tokens before from
// being computed again, with the same result.
#include <fmt/format.h>

#include "console/model_loading.hpp"
#include "core/error.hpp"
#include "generate/generation.hpp"
#include "labs.hpp"
#include "report/lab_output.hpp"
#include "trace_rope_kv_cache/explanations.hpp"

namespace minimind {

namespace {

/// [[3, 7, 11]]: a batch of one row, as the course prints it.
void show_ids(LabOutput& out, const std::string& key, const std::vector<std::int64_t>& ids) {
    out.value(key, LabOutput::Json::array({ids}));
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

void show_config(LabOutput& out, const ModelConfig& config) {
    out.section("Config");
    out.value("hidden_size", config.hidden_size);
    out.value("num_attention_heads", config.num_attention_heads);
    out.value("num_key_value_heads", config.num_key_value_heads);
    out.value("head_dim", config.head_dim);
    out.value("max_position_embeddings", config.max_position_embeddings);
    out.value("rope_theta", config.rope_theta, fmt::format("{:.1f}", config.rope_theta));
    const Shape table = {config.max_position_embeddings, config.head_dim};
    out.section("RoPE Table");
    for (const char* name : {"freqs_cos", "freqs_sin", "model.model.freqs_cos", "model.model.freqs_sin"}) {
        out.shape(name, table);
    }
}

/// Random heads [1, S, heads, D] before and after rotation: position 0 stays, the others turn.
void show_rotation(LabOutput& out, const ModelConfig& config, std::int64_t seq, Generator& generator) {
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
    out.section("Apply RoPE");
    out.shape("q_before_rope", q_shape);
    out.shape("k_before_rope", k_shape);
    out.shape("cos_slice", {seq, config.head_dim});
    out.shape("sin_slice", {seq, config.head_dim});
    out.shape("q_after_rope", q_shape);
    out.shape("k_after_rope", k_shape);
    const float q_change = arma::abs(q_rope - q).max();
    const float k_change = arma::abs(k_rope - k).max();
    out.value("q_changed_max_abs_diff", q_change, fmt::format("{:.8f}", q_change));
    out.value("k_changed_max_abs_diff", k_change, fmt::format("{:.8f}", k_change));
}

/// The last token alone, on a cache of all tokens before it, against the whole sequence at once.
void show_cache(LabOutput& out, const CausalLm& model, const TokenIds& ids) {
    const ModelConfig& config = model.config();
    const std::int64_t seq = ids.batch.seq;
    const TokenIds prefix = ids.positions(0, seq - 1);
    const TokenIds last = ids.positions(seq - 1, 1);
    KvCache cache(config);
    ForwardOptions options;
    options.past_key_values = &cache;
    const auto show_cached = [&](const std::string& when) {
        const Shape shape = {1, cache.layer(0).length(), config.num_key_value_heads, config.head_dim};
        out.shape(when + "_layer0_k", shape);
        out.shape(when + "_layer0_v", shape);
    };

    out.section("KV Cache Growth");
    show_ids(out, "input_ids", ids.ids);
    show_ids(out, "prefix_ids", prefix.ids);
    show_ids(out, "last_id", last.ids);
    model.forward(prefix, options);
    show_cached("prefix");
    const arma::fmat step_logits = model.forward(last, options).logits;  // [1, 1, V]
    show_cached("step");
    out.value("expected_prefix_cache_len", seq - 1);
    out.value("expected_step_cache_len", seq);

    const arma::fmat full_logits = model.forward(ids).logits;  // [1, S, V]
    const arma::fmat full_last_logits = full_logits.tail_cols(1);
    const float difference = arma::abs(full_last_logits - step_logits).max();
    out.section("Full Forward vs Incremental Cache Forward");
    out.shape("full_logits", {1, seq, config.vocab_size});
    out.shape("step_logits", {1, 1, config.vocab_size});
    out.shape("full_last_logits", {1, config.vocab_size});
    out.shape("step_last_logits", {1, config.vocab_size});
    out.value("full_vs_incremental_last_logits_max_abs_diff", difference, fmt::format("{:.12f}", difference));
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

void show_generation(LabOutput& out, const CausalLm& model, const TokenIds& ids, std::int64_t max_new_tokens) {
    const std::vector<std::int64_t> with_cache = generate_greedily(model, ids, max_new_tokens, true);
    const std::vector<std::int64_t> without = generate_greedily(model, ids, max_new_tokens, false);
    out.section("Generate With Cache vs Without Cache");
    show_ids(out, "generated_with_cache", with_cache);
    show_ids(out, "generated_without_cache", without);
    out.value("cache_and_no_cache_generate_match", with_cache == without);
}

void show_reading_rule(LabOutput& out) {
    out.section("Reading Rule");
    out.note({"RoPE turns q and k by their position and leaves their shapes and lengths alone.",
              "RoPE 按位置旋转 q 和 k，不改变它们的 shape 和长度。"});
    out.note({"The cache keeps k and v of the key/value heads, after the rotation.",
              "KV cache 保存的是旋转之后、按 KV 头存放的 k 和 v。"});
    out.note({"With the cache a step computes one token only; the logits stay the same.",
              "有了 KV cache，每一步只计算一个 token，logits 不变。"});
}

}  // namespace

int trace_rope_kv_cache(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    model_flags.defaults.vocab_size = 128;
    InputFlags input_flags;
    input_flags.batch_size = 1;
    input_flags.seq_len = 5;
    std::int64_t max_new_tokens = 3;
    LabFlags lab_flags;
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
    lab_flags.add(args);
    args.example("minimind trace_rope_kv_cache", "the course's default model");
    args.example("minimind trace_rope_kv_cache --seq_len 33 --max_new_tokens 8", "a longer text");
    if (!args.parse(words)) return 0;

    input_flags.read_text(model_flags.checkpoint());
    if (input_flags.tokenizer()) {  // as many words as the text may use
        model_flags.defaults.vocab_size = static_cast<std::int64_t>(input_flags.tokenizer()->id_limit());
    }
    LoadedModel loaded = load_model(model_flags, input_flags, lab_flags.console);
    const ModelConfig& config = loaded.model.config();
    const TokenIds ids = ids_of(input_flags, config);

    LabOutput out("trace_rope_kv_cache", lab_flags);
    out.explain_with(explain_rope_kv_cache(config, ids.batch));
    show_config(out, config);
    show_rotation(out, config, ids.batch.seq, loaded.generator);
    show_cache(out, loaded.model, ids);
    show_generation(out, loaded.model, ids.positions(0, ids.batch.seq - 1), max_new_tokens);
    show_reading_rule(out);
    out.finish();
    return 0;
}

}  // namespace minimind
