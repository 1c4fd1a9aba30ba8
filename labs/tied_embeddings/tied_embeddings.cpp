// Lab of lesson 23: one table [V, H], two uses. On the way in a token id picks its row; on the way out the last hidden
// state is multiplied with every row, and the products are the logits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "console/memory.hpp"
#include "console/model_loading.hpp"
#include "core/text.hpp"
#include "labs.hpp"
#include "model/products.hpp"
#include "model/rms_norm.hpp"
#include "random/fresh_model.hpp"
#include "report/lab_output.hpp"
#include "tied_embeddings/explanations.hpp"
#include "tied_embeddings/table_sizes.hpp"
#include "trace/recorder.hpp"

namespace minimind {

namespace {

/// The two ends of a forward pass, where the table is used. The first columns are the tokens of row 0, which is shown.
struct BothEnds {
    std::vector<std::int64_t> ids;  // [S] of row 0
    arma::fmat embedded;            // [B, S, H] after embed_tokens
    arma::fmat hidden;              // [B, S, H] after the final norm
    arma::fmat logits;              // [B, S, V]
};

BothEnds run(const CausalLm& model, const TokenInput& input) {
    Recorder recorder([](Site site) { return site.point == Point::embed_tokens || site.point == Point::norm; });
    ForwardOptions options;
    options.attention_mask = input.attention_mask;
    options.hook = &recorder;
    arma::fmat logits = model.forward(input.ids, options).logits;
    const arma::uword hidden_size = model.lm_head().n_rows;
    const auto matrix = [&](const Record& record) {
        return arma::fmat(record.f32.data(), hidden_size, record.f32.size() / hidden_size);
    };
    return {input.ids.row(0), matrix(recorder.records().at(0)), matrix(recorder.records().at(1)), std::move(logits)};
}

/// Row `id` of the table [V, H] as a product: a one-hot vector [V], 1 at `id` and 0 elsewhere, times the table.
arma::fvec one_hot_product(const arma::fmat& table, std::int64_t id) {
    arma::fvec one_hot(table.n_cols, arma::fill::zeros);
    one_hot(static_cast<arma::uword>(id)) = 1.0F;
    return table * one_hot;
}

void show_lookup(LabOutput& out, const CausalLm& model, const BothEnds& ends) {
    const std::int64_t vocab = model.config().vocab_size;
    const std::int64_t hidden = model.config().hidden_size;
    const std::int64_t seq = std::ssize(ends.ids);
    float difference = 0.0F;
    for (std::size_t s = 0; s < ends.ids.size(); ++s) {
        const arma::fvec product = one_hot_product(model.model().embed_tokens, ends.ids[s]);
        difference = std::max(difference, arma::abs(product - ends.embedded.col(s)).max());
    }
    out.section("Way In: A Lookup Is One-Hot Times Table");
    out.value("input_ids[0]", ends.ids);
    out.shape("one_hot", {seq, vocab});
    out.shape("embed_tokens.weight", {vocab, hidden});
    out.shape("one_hot @ embed_tokens.weight", {seq, hidden});
    out.value("lookup_vs_one_hot_max_abs_diff", difference, fmt::format("{:.12f}", difference));
    out.value("product_multiply_adds", seq * vocab * hidden, with_commas(seq * vocab * hidden));
    out.value("lookup_multiply_adds", 0);
}

/// The dot product as a textbook writes it: column i of a with column j of b.
float dot_by_hand(const arma::fmat& a, arma::uword i, const arma::fmat& b, arma::uword j) {
    float sum = 0.0F;
    for (arma::uword n = 0; n < a.n_rows; ++n) sum += a(n, i) * b(n, j);
    return sum;
}

void show_head(LabOutput& out, const CausalLm& model, const BothEnds& ends) {
    const arma::fmat& head = model.lm_head();
    const arma::uword last = ends.ids.size() - 1;
    const arma::uword token = ends.logits.col(last).index_max();
    float difference = 0.0F;
    for (arma::uword id = 0; id < head.n_cols; ++id) {
        difference = std::max(difference, std::abs(dot_by_hand(ends.hidden, last, head, id) - ends.logits(id, last)));
    }
    out.section("Way Out: A Logit Is A Dot Product With A Row");
    out.value("lm_head.weight is embed_tokens.weight", &head == &model.model().embed_tokens);
    out.shape("hidden_states[0, -1]", {model.config().hidden_size});
    out.shape("logits[0, -1]", {model.config().vocab_size});
    out.value("token_of_the_largest_logit", token);
    const auto number = [&](const std::string& name, float value) {
        out.value(name, value, fmt::format("{:.8f}", value));
    };
    number("logits[0, -1, token]", ends.logits(token, last));
    number("hidden . lm_head.weight[token]", dot_by_hand(ends.hidden, last, head, token));
    number("hidden . embed_tokens.weight[token]", dot_by_hand(ends.hidden, last, model.model().embed_tokens, token));
    out.value("all_logits_vs_dot_products_max_abs_diff", difference, fmt::format("{:.12f}", difference));
}

/// 1 for the largest logit of a position, V for the smallest.
std::int64_t rank_of(const arma::fmat& logits, arma::uword id, arma::uword position) {
    return 1 + static_cast<std::int64_t>(arma::accu(logits.col(position) > logits(id, position)));
}

/// Where the token that stands at a position comes among all tokens: before the first block and after the last.
void show_own_rows(LabOutput& out, const CausalLm& model, const BothEnds& ends) {
    const arma::uword shown = std::min<arma::uword>(ends.ids.size(), 16);
    const arma::fmat first = ends.embedded.head_cols(shown);
    const arma::fmat normed = rms_norm(first, model.model().norm, model.config().rms_norm_eps);  // [shown, H]
    const arma::fmat early = linear(model.lm_head(), normed);  // [shown, V]: as if there were no blocks
    out.line("               without blocks           all blocks");
    out.line("  s     id   own logit   rank      own logit   rank     top id   its logit");
    for (arma::uword s = 0; s < shown; ++s) {
        const auto id = static_cast<arma::uword>(ends.ids[s]);
        const arma::uword top = ends.logits.col(s).index_max();
        const std::int64_t early_rank = rank_of(early, id, s);
        const std::int64_t rank = rank_of(ends.logits, id, s);
        out.row(fmt::format("{:>3} {:>6}  {:>10.4f} {:>6}     {:>10.4f} {:>6}     {:>6}  {:>10.4f}", s, id,
                            early(id, s), early_rank, ends.logits(id, s), rank, top, ends.logits(top, s)),
                {{"position", s},
                 {"id", id},
                 {"own_logit_without_blocks", early(id, s)},
                 {"own_rank_without_blocks", early_rank},
                 {"own_logit", ends.logits(id, s)},
                 {"own_rank", rank},
                 {"top_id", top},
                 {"top_logit", ends.logits(top, s)}});
    }
}

/// The same seed with the other setting of tie_word_embeddings: all other weights are the same.
void show_other_build(LabOutput& out, const CausalLm& model, const TokenInput& input, const ModelFlags& flags) {
    ModelConfig config = model.config();
    config.tie_word_embeddings = !config.tie_word_embeddings;
    Workload forward;
    forward.batch = input.ids.batch;
    check_memory(config, forward);
    Generator generator(flags.seed);
    const CausalLm other = fresh_model(config, generator, flags.has_random_norms());
    const CausalLm& untied = config.tie_word_embeddings ? model : other;
    const float heads = arma::abs(other.lm_head() - model.lm_head()).max();
    const float tables = arma::abs(untied.lm_head() - untied.model().embed_tokens).max();
    out.section("The Same Seed, The Other Setting");
    out.value("tie_word_embeddings", config.tie_word_embeddings);
    out.value("untied_lm_head_vs_embed_tokens_max_abs_diff", tables, fmt::format("{:.8f}", tables));
    out.value("untied_lm_head_vs_tied_table_max_abs_diff", heads, fmt::format("{:.8f}", heads));
    show_own_rows(out, other, run(other, input));
}

}  // namespace

int tied_embeddings(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    InputFlags input_flags;
    input_flags.batch_size = 1;
    LabFlags flags;
    Arguments args("tied_embeddings", "One table as embedding and as head, and what tying them saves (lesson 23).");
    add_model_and_input(args, model_flags, input_flags);
    flags.add(args);
    args.example("minimind tied_embeddings", "the course's tiny model");
    args.example("minimind tied_embeddings --num_hidden_layers 8", "deeper: less of the embedding is left");
    args.example("minimind tied_embeddings --tie_word_embeddings 0", "with a head of its own");
    if (!args.parse(words)) return 0;

    const LoadedModel loaded = load_model(model_flags, input_flags, flags.console);
    const ModelConfig& config = loaded.model.config();
    const TokenInput input = input_flags.tokens(config);
    const BothEnds ends = run(loaded.model, input);

    LabOutput out("tied_embeddings", flags);
    out.explain_with(explain_tied_embeddings(config));
    show_lookup(out, loaded.model, ends);
    show_head(out, loaded.model, ends);
    out.section("Which Token's Row Gives The Largest Logit");
    show_own_rows(out, loaded.model, ends);
    if (!model_flags.checkpoint()) show_other_build(out, loaded.model, input, model_flags);
    show_table_counts(out, config);
    show_table_in_files(out, config);
    if (model_flags.checkpoint()) show_table_in_checkpoint(out, *model_flags.checkpoint());
    out.finish();
    return 0;
}

}  // namespace minimind
