#include "generate/generation.hpp"

#include <algorithm>

namespace minimind {

namespace {

/// Appends one value to each row: [B, S] -> [B, S + 1].
TokenIds appended(const TokenIds& rows, const std::vector<std::int64_t>& values) {
    TokenIds longer;
    longer.batch = {rows.batch.batch, rows.batch.seq + 1};
    longer.ids.reserve(static_cast<std::size_t>(longer.batch.tokens()));
    for (std::int64_t b = 0; b < rows.batch.batch; ++b) {
        const auto begin = rows.ids.begin() + b * rows.batch.seq;
        longer.ids.insert(longer.ids.end(), begin, begin + rows.batch.seq);
        longer.ids.push_back(values[static_cast<std::size_t>(b)]);
    }
    return longer;
}

/// The rows so far, and which of them have chosen eos.
class Rows {
  public:
    Rows(const TokenIds& prompt, std::optional<std::int64_t> eos)
        : ids_(prompt), eos_(eos), is_finished_(static_cast<std::size_t>(prompt.batch.batch), false) {}

    const TokenIds& ids() const { return ids_; }
    std::int64_t length() const { return ids_.batch.seq; }
    bool all_finished() const {
        return std::all_of(is_finished_.begin(), is_finished_.end(), [](bool row) { return row; });
    }

    /// Appends the choice of each row, or eos where it is finished; returns what was appended.
    std::vector<std::int64_t> append(const std::vector<SampledToken>& tokens) {
        std::vector<std::int64_t> values;
        for (std::size_t b = 0; b < tokens.size(); ++b) {
            const std::int64_t value = is_finished_[b] ? *eos_ : tokens[b].id;
            is_finished_[b] = eos_ && value == *eos_;
            values.push_back(value);
        }
        ids_ = appended(ids_, values);
        return values;
    }

  private:
    TokenIds ids_;
    std::optional<std::int64_t> eos_;
    std::vector<bool> is_finished_;
};

/// The prompt's mask with ones for the tokens that came after it.
AttentionMask extended(const AttentionMask& mask, std::int64_t length) {
    if (mask.is_empty()) return {};
    AttentionMask longer(static_cast<arma::uword>(length), mask.n_cols, arma::fill::ones);
    longer.rows(0, mask.n_rows - 1) = mask;
    return longer;
}

/// Logits of the last position, one column a row: fmat(V, B).
arma::fmat last_logits(const CausalLm& model, const TokenIds& input_ids, const GenerationSettings& settings,
                       KvCache& cache) {
    ForwardOptions options;
    options.attention_mask = extended(settings.attention_mask, cache.length() + input_ids.batch.seq);
    options.past_key_values = settings.use_cache ? &cache : nullptr;
    options.logits_to_keep = 1;
    options.hook = settings.hook;
    return model.forward(input_ids, options).logits;
}

}  // namespace

Generation generate(const CausalLm& model, const TokenIds& prompt, const GenerationSettings& settings, Sampler& sampler,
                    const StepObserver& observer) {
    using Ending = Generation::Ending;
    Rows rows(prompt, settings.eos);
    KvCache cache(model.config());
    std::int64_t new_tokens = 0;
    const auto result = [&](Ending ending) { return Generation{rows.ids(), new_tokens, ending}; };

    while (new_tokens < settings.max_new_tokens) {
        if (rows.length() >= model.config().max_position_embeddings) return result(Ending::max_positions);
        const std::int64_t past = cache.length();
        const TokenIds input_ids = rows.ids().positions(past, rows.length() - past);
        const arma::fmat logits = last_logits(model, input_ids, settings, cache);  // [B, V]

        std::vector<SampledToken> tokens;
        for (std::int64_t b = 0; b < prompt.batch.batch; ++b) {
            tokens.push_back(sampler.choose(logits.col(static_cast<arma::uword>(b)), rows.ids().row(b)));
        }
        const std::vector<std::int64_t> values = rows.append(tokens);
        const bool goes_on = !observer || observer({new_tokens, input_ids, past, tokens, values});
        ++new_tokens;
        if (rows.all_finished()) return result(Ending::finished);
        if (!goes_on) return result(Ending::stopped);
    }
    return result(Ending::max_new_tokens);
}

}  // namespace minimind
