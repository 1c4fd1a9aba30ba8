#include "model/causal_lm.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/error.hpp"
#include "model/products.hpp"

namespace minimind {

namespace {

/// Where each parameter lives, in the order of parameter_list.
std::vector<arma::fmat*> places(const ModelConfig& config, MiniMindModel& model, arma::fmat& lm_head) {
    std::vector<arma::fmat*> places = {&model.embed_tokens};
    const auto add_feed_forward = [&](FeedForward& mlp) {
        places.insert(places.end(), {&mlp.gate_proj, &mlp.down_proj, &mlp.up_proj});
    };
    for (Block& block : model.layers) {
        Attention& attn = block.self_attn;
        places.insert(places.end(),
                      {&attn.q_proj, &attn.k_proj, &attn.v_proj, &attn.o_proj, &attn.q_norm, &attn.k_norm});
        places.insert(places.end(), {&block.input_layernorm, &block.post_attention_layernorm});
        if (config.use_moe) {
            places.push_back(&block.moe.gate);
            for (FeedForward& expert : block.moe.experts) add_feed_forward(expert);
        } else {
            add_feed_forward(block.mlp);
        }
    }
    places.push_back(&model.norm);
    if (!config.tie_word_embeddings) places.push_back(&lm_head);
    return places;
}

/// fmat(in, out) of a shape [out, in], fmat(n, 1) of [n].
arma::fmat allocated(const ParameterInfo& parameter) {
    const auto rows = static_cast<arma::uword>(parameter.shape.back());
    const auto cols = parameter.shape.size() == 1 ? 1 : static_cast<arma::uword>(parameter.shape[0]);
    return {rows, cols, arma::fill::none};
}

/// The last `keep` columns of every batch row: [B, S, H] -> [B, keep, H].
arma::fmat last_positions(arma::fmat hidden_states, Batch batch, std::int64_t keep) {
    if (keep >= batch.seq) return hidden_states;
    const auto seq = static_cast<arma::uword>(batch.seq);
    const auto n = static_cast<arma::uword>(keep);
    arma::fmat kept(hidden_states.n_rows, static_cast<arma::uword>(batch.batch) * n, arma::fill::none);
    for (arma::uword b = 0; b < static_cast<arma::uword>(batch.batch); ++b) {
        kept.cols(b * n, b * n + n - 1) = hidden_states.cols(b * seq + seq - n, b * seq + seq - 1);
    }
    return kept;
}

void check_cache(const KvCache& cache, const ModelConfig& config, std::int64_t batch) {
    if (cache.layers() != config.num_hidden_layers) {
        throw Error(
            fmt::format("the cache is for {} layers, the model has {}", cache.layers(), config.num_hidden_layers));
    }
    if (cache.length() > 0 && cache.layer(0).batch() != batch) {
        throw Error(fmt::format("the cache holds {} rows, the token ids have {}", cache.layer(0).batch(), batch));
    }
}

/// Everything that can be wrong with a call, before anything is computed or cached.
void check_options(const TokenIds& input_ids, const ModelConfig& config, const ForwardOptions& options) {
    const auto [batch, seq] = input_ids.batch;
    if (batch < 1 || seq < 1 || std::ssize(input_ids.ids) != batch * seq) {
        throw Error("there are no tokens to compute, or not batch * seq").help("give at least one token id a row");
    }
    if (options.past_key_values != nullptr) check_cache(*options.past_key_values, config, batch);
    if (options.logits_to_keep < 0) throw Error("logits_to_keep cannot be negative");
    const std::int64_t past = options.past_key_values == nullptr ? 0 : options.past_key_values->length();
    const arma::fmat& mask = options.attention_mask;
    if (!mask.is_empty() && (std::ssize(mask) != batch * (past + seq) || mask.n_cols != arma::uword(batch))) {
        throw Error(fmt::format("the attention mask must have shape ({}, {})", batch, past + seq))
            .note("one 0 or 1 for every key, the cached ones included");
    }
    if (!options.labels) return;
    check_labels(*options.labels, config.vocab_size);
    if (options.labels->batch.batch != batch || options.labels->batch.seq != seq ||
        std::ssize(options.labels->ids) != batch * seq) {
        throw Error(fmt::format("labels have shape ({}, {}), the token ids ({}, {})", options.labels->batch.batch,
                                options.labels->batch.seq, batch, seq))
            .help("give one label for every token id; -100 where it does not count");
    }
    if (options.logits_to_keep != 0 && options.logits_to_keep < seq) {
        throw Error("the loss needs the logits of all positions")
            .at(fmt::format("logits_to_keep {}", options.logits_to_keep))
            .help("leave out logits_to_keep or the labels");
    }
}

}  // namespace

CausalLm::CausalLm(ModelConfig config, const ParameterSource& source) : config_(std::move(config)) {
    model_.layers.resize(static_cast<std::size_t>(config_.num_hidden_layers));
    if (config_.use_moe) {
        for (Block& block : model_.layers) block.moe.experts.resize(static_cast<std::size_t>(config_.num_experts));
    }
    const std::vector<ParameterInfo> list = parameter_list(config_);
    const std::vector<arma::fmat*> place = places(config_, model_, lm_head_);
    if (list.size() != place.size()) throw std::logic_error("parameter_list and CausalLm disagree");
    for (std::size_t i = 0; i < list.size(); ++i) *place[i] = source(list[i]);
}

CausalLm::CausalLm(ModelConfig config) : CausalLm(std::move(config), allocated) {}

std::vector<arma::fmat*> CausalLm::parameters() {
    return places(config_, model_, lm_head_);
}

std::vector<const arma::fmat*> CausalLm::parameters() const {
    auto* self = const_cast<CausalLm*>(this);  // NOLINT: only the addresses are taken, and given out as const
    const std::vector<arma::fmat*> found = places(config_, self->model_, self->lm_head_);
    return {found.begin(), found.end()};
}

CausalLmOutput CausalLm::forward(const TokenIds& input_ids, const ForwardOptions& options) const {
    check_options(input_ids, config_, options);
    const auto [batch, seq] = input_ids.batch;
    MiniMindModel::Output decoded = model_.forward(input_ids, config_, options.attention_mask, options.past_key_values,
                                                   options.training, options.hook);

    const std::int64_t keep = options.logits_to_keep == 0 ? seq : std::min(options.logits_to_keep, seq);
    const arma::fmat hidden_states = last_positions(std::move(decoded.hidden_states), input_ids.batch, keep);
    const StageTrace trace(options.hook, {batch, keep});
    CausalLmOutput output;
    output.logits = trace(Point::lm_head, linear(lm_head(), hidden_states));  // [B, keep, V]
    if (options.labels) output.loss = shifted_cross_entropy(output.logits, *options.labels, trace);
    output.aux_loss = decoded.aux_loss;
    return output;
}

}  // namespace minimind
