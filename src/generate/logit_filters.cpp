#include "generate/logit_filters.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "model/vector_math.hpp"

namespace minimind {

namespace {

constexpr float dropped = -std::numeric_limits<float>::infinity();

arma::uword index_of(std::int64_t id) {
    return static_cast<arma::uword>(id);
}

}  // namespace

arma::fvec with_temperature(arma::fvec logits, double temperature) {
    logits /= static_cast<float>(temperature);
    return logits;
}

arma::fvec with_repetition_penalty(arma::fvec logits, const std::vector<std::int64_t>& ids, double penalty) {
    if (penalty == 1.0) return logits;
    std::vector<std::int64_t> seen = ids;
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    const float factor = static_cast<float>(penalty);
    for (const std::int64_t id : seen) {
        float& score = logits(index_of(id));
        score = score > 0.0F ? score / factor : score * factor;
    }
    return logits;
}

arma::fvec with_top_k(arma::fvec logits, std::int64_t k) {
    if (k == 0 || k >= std::ssize(logits)) return logits;
    arma::fvec sorted = logits;
    std::nth_element(sorted.begin(), sorted.begin() + (k - 1), sorted.end(), std::greater<>());
    const float kth_largest = sorted(index_of(k - 1));
    for (float& logit : logits) {
        if (logit < kth_largest) logit = dropped;
    }
    return logits;
}

arma::fvec with_top_p(arma::fvec logits, double p) {
    if (p >= 1.0) return logits;
    const std::vector<std::int64_t> order = candidates(logits);
    const arma::fvec probabilities = softmax(logits);
    double sum_before = 0.0;
    for (const std::int64_t id : order) {
        const float probability = probabilities(index_of(id));
        if (static_cast<float>(sum_before) > static_cast<float>(p)) logits(index_of(id)) = dropped;
        sum_before += static_cast<double>(probability);
    }
    return logits;
}

arma::fvec softmax(arma::fvec logits) {
    softmax_row(logits.memptr(), std::ssize(logits));
    return logits;
}

std::vector<std::int64_t> candidates(const arma::fvec& logits) {
    std::vector<std::int64_t> ids;
    for (arma::uword id = 0; id < logits.n_elem; ++id) {
        if (logits(id) > dropped) ids.push_back(static_cast<std::int64_t>(id));
    }
    std::stable_sort(ids.begin(), ids.end(), [&](std::int64_t left, std::int64_t right) {
        return logits(index_of(left)) > logits(index_of(right));
    });
    return ids;
}

std::int64_t candidate_count(const arma::fvec& logits) {
    return std::count_if(logits.begin(), logits.end(), [](float logit) { return logit > dropped; });
}

}  // namespace minimind
