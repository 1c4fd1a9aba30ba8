#include "stepper/rerun_effect.hpp"

#include <algorithm>
#include <cmath>

#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// The logits that the next token of a row is chosen from.
const float* last_logits(const TensorView& logits, std::int64_t row) {
    const std::int64_t index[] = {row, logits.axis(1).size - 1, 0};
    return logits.f32() + logits.offset(index);
}

double log_sum_exp(const float* logits, std::int64_t count) {
    const auto max = static_cast<double>(*std::max_element(logits, logits + count));
    double sum = 0.0;
    for (std::int64_t v = 0; v < count; ++v) sum += std::exp(static_cast<double>(logits[v]) - max);
    return max + std::log(sum);
}

/// All sites of two passes in order of time: an expert may be in one of them only.
std::vector<Site> sites_of_both(const Recording& before, const Recording& after) {
    std::vector<Site> sites;
    for (const Site site : sites_of(pass_kind(before.config(), before.input()))) {
        if (before.has(site) || after.has(site)) sites.push_back(site);
    }
    return sites;
}

/// Whether the rows of an expert's output are the same tokens.
bool same_rows(const Recording& before, const Recording& after, Site site) {
    if (site.point != Point::expert) return true;
    return tokens_of_expert(before, site.layer, site.expert) == tokens_of_expert(after, site.layer, site.expert);
}

}  // namespace

bool is_shown_in_comparison(Site site, int layer) {
    if (site.layer < 0 || site.layer == layer) return true;
    return site.point == Point::self_attn || site.point == Point::resid_mid || site.point == Point::mlp ||
           site.point == Point::resid_post;
}

std::vector<StageChange> changes_between(const Recording& before, const Recording& after, int layer) {
    std::vector<StageChange> changes;
    for (const Site site : sites_of_both(before, after)) {
        if (!is_shown_in_comparison(site, layer)) continue;
        const bool is_before = before.keeps(site);
        const bool is_after = after.keeps(site);
        if (!is_before && !is_after) continue;
        StageChange change{site, std::nullopt, {}, {}};
        if (is_before) change.before = before.view(site).shape();
        if (is_after) change.after = after.view(site).shape();
        const bool is_comparable =
            is_before && is_after && change.before == change.after && same_rows(before, after, site);
        if (is_comparable) change.difference = difference_of(before.view(site), after.view(site));
        changes.push_back(std::move(change));
    }
    return changes;
}

NextToken next_token(const Recording& recording, std::int64_t row) {
    const TensorView& logits = recording.logits();
    const float* x = last_logits(logits, row);
    const std::int64_t vocab = logits.axis(2).size;
    const std::int64_t id = std::max_element(x, x + vocab) - x;
    return {id, std::exp(static_cast<double>(x[id]) - log_sum_exp(x, vocab))};
}

double next_probability(const Recording& recording, std::int64_t row, std::int64_t id) {
    const TensorView& logits = recording.logits();
    const float* x = last_logits(logits, row);
    return std::exp(static_cast<double>(x[id]) - log_sum_exp(x, logits.axis(2).size));
}

}  // namespace minimind
