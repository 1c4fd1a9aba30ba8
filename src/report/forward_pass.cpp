#include "report/forward_pass.hpp"

namespace minimind {

namespace {

/// Computes the first `past` tokens of every row into the cache.
void fill_cache(const CausalLm& model, const TokenInput& input, Hook* hook, KvCache& cache) {
    ForwardOptions options;
    options.past_key_values = &cache;
    options.logits_to_keep = 1;
    options.hook = hook;
    if (!input.attention_mask.is_empty()) {
        options.attention_mask = input.attention_mask.rows(0, static_cast<arma::uword>(input.past) - 1);
    }
    model.forward(input.ids.positions(0, input.past), options);
}

}  // namespace

PassResult forward_pass(const CausalLm& model, const TokenInput& input, const PassHooks& hooks, bool training) {
    KvCache cache(model.config());
    if (input.past > 0) fill_cache(model, input, hooks.past_hook, cache);
    const std::int64_t fresh = input.ids.batch.seq - input.past;
    ForwardOptions options;
    options.attention_mask = input.attention_mask;
    options.past_key_values = input.past > 0 ? &cache : nullptr;
    options.logits_to_keep = input.logits_to_keep;
    options.training = training;
    options.hook = hooks.hook;
    if (input.labels) options.labels = input.labels->positions(input.past, fresh);
    TokenIds computed = input.ids.positions(input.past, fresh);
    CausalLmOutput output = model.forward(computed, options);
    return {std::move(output), std::move(computed)};
}

}  // namespace minimind
