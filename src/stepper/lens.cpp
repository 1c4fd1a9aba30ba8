#include "stepper/lens.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/products.hpp"
#include "model/rms_norm.hpp"
#include "stepper/stage_inputs.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// softmax of lm_head(norm(x)), in double from the float32 logits that the model would give.
std::vector<double> probabilities(const CausalLm& model, const arma::fmat& x) {
    const arma::fmat normed = rms_norm(x, model.model().norm, model.config().rms_norm_eps);  // [1, H]
    const arma::fmat logits = linear(model.lm_head(), normed);                               // [1, V]
    const auto max = static_cast<double>(logits.max());
    std::vector<double> p;
    p.reserve(logits.n_elem);
    for (const float logit : logits) p.push_back(std::exp(static_cast<double>(logit) - max));
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& value : p) value /= sum;
    return p;
}

std::vector<LensToken> largest(const std::vector<double>& p, std::int64_t count) {
    std::vector<std::int64_t> order(p.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    const auto shown = std::min(count, std::ssize(order));
    const auto size = [&p](std::int64_t id) {
        const double value = p[static_cast<std::size_t>(id)];
        return std::isnan(value) ? -1.0 : value;
    };
    std::partial_sort(order.begin(), order.begin() + shown, order.end(), [&size](std::int64_t a, std::int64_t b) {
        return size(a) != size(b) ? size(a) > size(b) : a < b;
    });
    std::vector<LensToken> top;
    for (std::int64_t i = 0; i < shown; ++i) {
        const std::int64_t id = order[static_cast<std::size_t>(i)];
        top.push_back({id, p[static_cast<std::size_t>(id)]});
    }
    return top;
}

}  // namespace

std::vector<LensRow> lens_of(const Recording& recording, std::int64_t b, std::int64_t s, std::int64_t count) {
    std::vector<LensRow> rows;
    std::vector<std::vector<double>> all;
    const int layers = static_cast<int>(recording.config().num_hidden_layers);
    for (int layer = 0; layer <= layers; ++layer) {
        const Site site = stream_before(layer);
        const TensorView& stream = recording.view(site);
        arma::fmat x(static_cast<arma::uword>(stream.axis(2).size), 1);
        for (arma::uword i = 0; i < x.n_rows; ++i) {
            x[i] = static_cast<float>(value_at(stream, {b, s, static_cast<std::int64_t>(i)}));
        }
        all.push_back(probabilities(recording.model(), x));
        rows.push_back({site, largest(all.back(), count), 0.0});
    }
    const auto answer = static_cast<std::size_t>(rows.back().top.front().id);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].final_probability = all[i][answer];
    return rows;
}

}  // namespace minimind
