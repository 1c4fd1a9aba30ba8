// The mixture of experts: which ones a token chooses, with which weight, and what comes of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// The probabilities of token n, one an expert.
std::vector<WhyTerm> probabilities(const WhyElement& element, std::int64_t n) {
    const auto p = [&](std::int64_t e) { return element.value(Point::router_probs, {n, e}); };
    return product_terms(element.config().num_experts, p, [](std::int64_t) { return 1.0; });
}

std::int64_t chosen(const WhyElement& element, std::int64_t n, std::int64_t choice) {
    return static_cast<std::int64_t>(element.value(Point::topk_idx, {n, choice}));
}

/// The tokens that chose an expert, in order: the rows of its output.
std::vector<std::int64_t> tokens_of_expert(const WhyElement& element, std::int64_t expert) {
    std::vector<std::int64_t> tokens;
    for (std::int64_t n = 0; n < element.recording.batch().tokens(); ++n) {
        for (std::int64_t choice = 0; choice < element.config().num_experts_per_tok; ++choice) {
            if (chosen(element, n, choice) == expert) tokens.push_back(n);
        }
    }
    return tokens;
}

/// A value that float32 rounding may have moved by as much as `error`.
struct Uncertain {
    double value;
    double error;
};

/// One output of a linear layer, for an x in double.
Uncertain dot(const std::vector<double>& x, const arma::fmat& weight, arma::uword out) {
    double sum = 0.0;
    double magnitude = 0.0;
    for (arma::uword i = 0; i < weight.n_rows; ++i) {
        const double term = x[i] * static_cast<double>(weight.at(i, out));
        sum += term;
        magnitude += std::abs(term);
    }
    return {sum, float_rounding(magnitude, x.size())};
}

double activated(const std::string& hidden_act, double x) {
    arma::fmat one(1, 1);
    one(0) = static_cast<float>(x);
    return static_cast<double>(activate(hidden_act, std::move(one))(0));
}

}  // namespace

}  // namespace minimind
