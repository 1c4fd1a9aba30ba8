// Lab of lesson 10: logits for the last positions only. What that saves is in the head alone, and only where several
// positions are computed at once.
#include <fmt/format.h>

#include <algorithm>

#include "console/memory.hpp"
#include "console/model_loading.hpp"
#include "core/text.hpp"
#include "labs.hpp"
#include "logits_to_keep/explanations.hpp"
#include "report/lab_output.hpp"
#include "report/parameter_counts.hpp"
#include "trace/hook.hpp"

namespace minimind {

namespace {

/// Notes the shape of every stage.
class ShapeHook : public Hook {
  public:
    bool wants(Site) const override { return true; }
    void observe(Site site, const TensorView& tensor) override {
        shapes_.emplace_back(site_name(site), tensor.shape());
    }

    const std::vector<std::pair<std::string, Shape>>& shapes() const { return shapes_; }

  private:
    std::vector<std::pair<std::string, Shape>> shapes_;
};

/// One forward pass with a cache: what came out, and what was computed on the way.
struct Pass {
    arma::fmat logits;  // [B, S or n, V]
    std::vector<std::pair<std::string, Shape>> stages;
    std::int64_t cached = 0;  // positions in the cache afterwards
};

Pass run(const CausalLm& model, const TokenInput& input, std::int64_t logits_to_keep) {
    KvCache cache(model.config());
    ShapeHook hook;
    ForwardOptions options;
    options.attention_mask = input.attention_mask;
    options.past_key_values = &cache;
    options.logits_to_keep = logits_to_keep;
    options.hook = &hook;
    arma::fmat logits = model.forward(input.ids, options).logits;
    return {std::move(logits), hook.shapes(), cache.length()};
}

/// The last `keep` positions of every batch row of [B, S, V], a position at a time.
float largest_difference(const arma::fmat& full, const arma::fmat& kept, Batch batch, std::int64_t keep) {
    float largest = 0.0F;
    for (std::int64_t b = 0; b < batch.batch; ++b) {
        for (std::int64_t i = 0; i < keep; ++i) {
            const auto in_full = static_cast<arma::uword>(b * batch.seq + batch.seq - keep + i);
            const auto in_kept = static_cast<arma::uword>(b * keep + i);
            largest = std::max(largest, arma::abs(full.col(in_full) - kept.col(in_kept)).max());
        }
    }
    return largest;
}

void show_same_numbers(LabOutput& out, const ModelConfig& config, Batch batch, const Pass& full, const Pass& kept,
                       std::int64_t keep) {
    const float difference = largest_difference(full.logits, kept.logits, batch, keep);
    out.section("The Same Numbers");
    out.shape("full_logits", {batch.batch, batch.seq, config.vocab_size});
    out.shape("kept_logits", {batch.batch, keep, config.vocab_size});
    out.value("full_last_positions_vs_kept_max_abs_diff", difference, fmt::format("{:.12f}", difference));
    out.value("bit_equal", difference == 0.0F);
}

/// Stages whose shape is not the same in both passes: the head alone.
void show_stages(LabOutput& out, const Pass& full, const Pass& kept) {
    out.section("Which Stages Get Smaller");
    std::int64_t changed = 0;
    for (std::size_t i = 0; i < std::min(full.stages.size(), kept.stages.size()); ++i) {
        const auto& [name, shape] = full.stages[i];
        const Shape& smaller = kept.stages[i].second;
        if (shape == smaller) continue;
        ++changed;
        out.row(fmt::format("{} {} -> {}", name, shape_text(shape), shape_text(smaller)),
                {{"stage", name}, {"full", shape}, {"kept", smaller}});
    }
    out.value("stages", full.stages.size());
    out.value("stages_that_changed", changed);
    out.value("positions_in_kv_cache_full", full.cached);
    out.value("positions_in_kv_cache_kept", kept.cached);
}

/// Multiply-adds of one forward pass over a batch: all of it, and the head with `positions` a row. In attention every
/// query of the causal square is counted with all S keys.
struct Work {
    std::int64_t rest = 0;
    std::int64_t head = 0;
};

Work work_of(const ModelConfig& config, Batch batch, std::int64_t positions) {
    const MultiplyAdds token = count_multiply_adds(config, batch.seq);
    return {batch.tokens() * (token.total() - token.lm_head), batch.batch * positions * token.lm_head};
}

void show_savings(LabOutput& out, const ModelConfig& config, Batch batch, std::int64_t keep) {
    const Work full = work_of(config, batch, batch.seq);
    const Work kept = work_of(config, batch, keep);
    const std::int64_t full_bytes = 4 * batch.tokens() * config.vocab_size;
    const std::int64_t kept_bytes = 4 * batch.batch * keep * config.vocab_size;
    out.section("What It Saves");
    out.line("                                   all positions      kept positions");
    const auto row = [&](const std::string& name, const std::string& key, std::int64_t a, std::int64_t b) {
        out.row(fmt::format("{:<28} {:>19} {:>19}", name, with_commas(a), with_commas(b)),
                {{"what", key}, {"full", a}, {"kept", b}});
    };
    row("lm_head, multiply-adds", "lm_head_multiply_adds", full.head, kept.head);
    row("all else, multiply-adds", "other_multiply_adds", full.rest, kept.rest);
    row("logits, bytes in float32", "logits_bytes", full_bytes, kept_bytes);
    const double saved =
        100.0 * static_cast<double>(full.head - kept.head) / static_cast<double>(full.rest + full.head);
    out.value("saved_of_all_multiply_adds", saved, fmt::format("{:.2f} %", saved));
}

/// The same at other lengths of the prompt, and at one position, as in a decode step with a cache.
void show_by_length(LabOutput& out, const ModelConfig& config, std::int64_t batch_size, std::int64_t keep) {
    out.section("By Length");
    out.line("  tokens   saved of all work   logits, all   logits, kept");
    for (const std::int64_t seq : {1, 2, 16, 128, 340, 2048, 8192}) {
        if (seq > config.max_position_embeddings) continue;
        const std::int64_t n = keep == 0 ? seq : std::min(keep, seq);
        const Work full = work_of(config, {batch_size, seq}, seq);
        const Work kept = work_of(config, {batch_size, seq}, n);
        const double saved =
            100.0 * static_cast<double>(full.head - kept.head) / static_cast<double>(full.rest + full.head);
        const std::int64_t bytes = 4 * batch_size * config.vocab_size;  // of one position of all rows
        out.row(fmt::format("{:>8}  {:>16.2f} %  {:>12}  {:>13}", seq, saved,
                            bytes_text(static_cast<double>(bytes * seq)), bytes_text(static_cast<double>(bytes * n))),
                {{"tokens", seq}, {"saved_percent", saved}, {"full_bytes", bytes * seq}, {"kept_bytes", bytes * n}});
    }
}

/// Training reads the logits of every position but the last.
void show_training(LabOutput& out, Batch batch) {
    out.section("Who Reads Which Logits");
    const auto row = [&](const std::string& who, const std::string& key, std::int64_t computed, std::int64_t read) {
        out.row(fmt::format("{:<34} {:>9} {:>6}", who, computed, read),
                {{"who", key}, {"positions", computed}, {"read", read}});
    };
    out.line("                                   positions   read");
    row("training, a row", "training", batch.seq, batch.seq - 1);
    row("generate, the prompt", "prefill", batch.seq, 1);
    row("generate, a step with a KV cache", "decode", 1, 1);
    row("generate, a step without a cache", "decode_without_cache", batch.seq + 1, 1);
}

}  // namespace

int logits_to_keep(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    InputFlags input_flags;
    std::int64_t asked = 1;
    LabFlags flags;
    Arguments args("logits_to_keep", "What logits for the last positions only save, and what not (lesson 10).");
    add_model_and_input(args, model_flags, input_flags);
    args.group("input");
    args.integer("--logits_to_keep", asked, "logits for the last N positions only; 0: for all", at_least(0));
    flags.add(args);
    args.example("minimind logits_to_keep", "the last position of two rows of six tokens");
    args.example("minimind logits_to_keep --logits_to_keep 3", "the last three");
    args.example("minimind logits_to_keep --preset minimind3 --batch_size 1 --seq_len 128", "a prompt of a real size");
    if (!args.parse(words)) return 0;

    LoadOptions watched;
    watched.shows_scores = true;
    const LoadedModel loaded = load_model(model_flags, input_flags, flags.console, watched);
    const ModelConfig& config = loaded.model.config();
    const TokenInput input = input_flags.tokens(config);
    const Batch batch = input.ids.batch;
    const std::int64_t keep = asked == 0 ? batch.seq : std::min(asked, batch.seq);
    const Pass full = run(loaded.model, input, 0);
    const Pass kept = run(loaded.model, input, asked);

    LabOutput out("logits_to_keep", flags);
    out.explain_with(explain_logits_to_keep(config, batch));
    out.section("Input");
    out.shape("input_ids", {batch.batch, batch.seq});
    out.shape("lm_head.weight", {config.vocab_size, config.hidden_size});
    out.value("logits_to_keep", asked);
    show_same_numbers(out, config, batch, full, kept, keep);
    show_stages(out, full, kept);
    show_savings(out, config, batch, keep);
    show_by_length(out, config, batch.batch, asked);
    show_training(out, batch);
    out.finish();
    return 0;
}

}  // namespace minimind
