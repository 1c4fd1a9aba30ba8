#include "generate/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "generate/logit_filters.hpp"

namespace minimind {

namespace {

/// A NaN or +infinity in the scores, or nothing but -infinity, gives no probabilities.
void check_scores(const arma::fvec& logits, const arma::fvec& scores, const SamplingSettings& settings) {
    const auto is_wrong = [](float score) {
        return std::isnan(score) || score == std::numeric_limits<float>::infinity();
    };
    const auto has_wrong = [&](const arma::fvec& values) {
        return std::any_of(values.begin(), values.end(), is_wrong) || !std::isfinite(values.max());
    };
    if (has_wrong(logits)) {
        throw Error("the logits are not finite, so no token can be chosen")
            .note("a NaN or an infinity came out of the model")
            .help("`minimind trace --stop_on_nan` with the same model and input names the first stage that has one");
    }
    if (has_wrong(scores)) {
        throw Error("the scores are too large for float32 after temperature and repetition penalty")
            .at(fmt::format("--temperature {:g} --repetition_penalty {:g}", settings.temperature,
                            settings.repetition_penalty))
            .help("use values nearer to 1, or --greedy to take the largest logit");
    }
}

}  // namespace

void check_settings(const SamplingSettings& settings) {
    if (!(settings.temperature > 0.0)) {
        throw Error("the temperature must be above 0")
            .at(fmt::format("--temperature {:g}", settings.temperature))
            .note("the logits are divided by it")
            .help("use --greedy, without --temperature, to take the largest logit at every step");
    }
    if (settings.top_k < 0) {
        throw Error("top_k cannot be negative")
            .at(fmt::format("--top_k {}", settings.top_k))
            .help("use --top_k 0 to switch it off");
    }
    if (!(settings.top_p >= 0.0)) {
        throw Error("top_p cannot be negative")
            .at(fmt::format("--top_p {:g}", settings.top_p))
            .help("use --top_p 1 to switch it off");
    }
    if (!(settings.repetition_penalty > 0.0)) {
        throw Error("the repetition penalty must be above 0")
            .at(fmt::format("--repetition_penalty {:g}", settings.repetition_penalty))
            .help("use --repetition_penalty 1 to switch it off");
    }
}

Sampler::Sampler(const SamplingSettings& settings, std::uint64_t seed) : settings_(settings), generator_(seed) {
    check_settings(settings);
}

SampledToken Sampler::choose(arma::fvec logits, const std::vector<std::int64_t>& ids) {
    SampledToken token;
    token.logits = std::move(logits);
    token.after_temperature = with_temperature(token.logits, settings_.temperature);
    token.after_repetition_penalty =
        with_repetition_penalty(token.after_temperature, ids, settings_.repetition_penalty);
    check_scores(token.logits, token.after_repetition_penalty, settings_);
    token.after_top_k = with_top_k(token.after_repetition_penalty, settings_.top_k);
    token.after_top_p = with_top_p(token.after_top_k, settings_.top_p);
    token.probabilities = softmax(token.after_top_p);
    token.id = settings_.greedy ? static_cast<std::int64_t>(token.after_top_p.index_max())
                                : static_cast<std::int64_t>(
                                      generator_.multinomial(token.probabilities.memptr(), token.probabilities.n_elem));
    return token;
}

}  // namespace minimind
