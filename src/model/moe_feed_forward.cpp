#include "model/moe_feed_forward.hpp"

#include <algorithm>
#include <numeric>

#include "model/products.hpp"
#include "model/vector_math.hpp"

namespace minimind {

namespace {

/// The places of the k largest values, largest first; of equal values the first.
std::vector<std::int64_t> largest(const float* values, std::int64_t count, std::int64_t k) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return values[a] > values[b]; });
    order.resize(static_cast<std::size_t>(k));
    return order;
}

/// A token that chose an expert, and with which weight.
struct Dispatch {
    arma::uword token;
    float weight;
};

std::vector<Dispatch> tokens_of_expert(const Routing& routing, std::int64_t expert) {
    std::vector<Dispatch> tokens;
    const arma::uword k = routing.topk_weight.n_rows;
    for (arma::uword choice = 0; choice < routing.topk_idx.size(); ++choice) {
        if (routing.topk_idx[choice] == expert) tokens.push_back({choice / k, routing.topk_weight[choice]});
    }
    return tokens;
}

/// coef * E * sum over k and e of load[k, e] * mean(p[e]): smallest when every expert gets its share.
double load_balancing_loss(const Routing& routing, const ModelConfig& config) {
    const auto tokens = static_cast<double>(routing.router_probs.n_cols);
    const arma::fvec mean_probs = arma::mean(routing.router_probs, 1);  // [E]
    double sum = 0.0;
    for (const std::int64_t expert : routing.topk_idx) {
        sum += static_cast<double>(mean_probs[static_cast<arma::uword>(expert)]) / tokens;  // one more in load[k, e]
    }
    return config.router_aux_loss_coef * static_cast<double>(config.num_experts) * sum;
}

}  // namespace

Routing MoeFeedForward::route(const arma::fmat& x, const ModelConfig& config, const StageTrace& trace) const {
    const std::int64_t k = config.num_experts_per_tok;
    const auto tokens = static_cast<std::int64_t>(x.n_cols);
    const Shape per_expert = {tokens, config.num_experts};

    arma::fmat logits = trace(Point::router_logits, linear(gate, x), per_expert);  // [B*S, E]
    for (arma::uword token = 0; token < logits.n_cols; ++token) softmax_row(logits.colptr(token), config.num_experts);
    Routing routing;
    routing.router_probs = trace(Point::router_probs, std::move(logits), per_expert);  // [B*S, E]

    arma::fmat weight(static_cast<arma::uword>(k), static_cast<arma::uword>(tokens), arma::fill::none);
    for (arma::uword token = 0; token < weight.n_cols; ++token) {
        const float* probs = routing.router_probs.colptr(token);
        const std::vector<std::int64_t> chosen = largest(probs, config.num_experts, k);
        float sum = 1e-20F;
        for (const std::int64_t expert : chosen) sum += probs[expert];
        for (arma::uword i = 0; i < chosen.size(); ++i) {
            weight(i, token) = config.norm_topk_prob ? probs[chosen[i]] / sum : probs[chosen[i]];
        }
        routing.topk_idx.insert(routing.topk_idx.end(), chosen.begin(), chosen.end());
    }
    trace.view(Point::topk_idx, TensorView(routing.topk_idx.data(), Shape{tokens, k}));    // [B*S, K]
    routing.topk_weight = trace(Point::topk_weight, std::move(weight), Shape{tokens, k});  // [B*S, K]
    return routing;
}

MlpOutput MoeFeedForward::forward(const arma::fmat& x, const ModelConfig& config, bool training,
                                  const StageTrace& trace) const {
    const Routing routing = route(x, config, trace);
    MlpOutput output{arma::fmat(x.n_rows, x.n_cols, arma::fill::zeros), 0.0};
    for (std::int64_t e = 0; e < config.num_experts; ++e) {
        const std::vector<Dispatch> tokens = tokens_of_expert(routing, e);
        if (tokens.empty()) continue;

        arma::fmat gathered(x.n_rows, tokens.size(), arma::fill::none);  // [N, H]: the tokens that chose e, in order
        for (arma::uword i = 0; i < tokens.size(); ++i) gathered.col(i) = x.col(tokens[i].token);

        const FeedForward& expert = experts[static_cast<std::size_t>(e)];
        const StageTrace expert_trace = trace.in_expert(static_cast<int>(e));
        const Shape rows = {static_cast<std::int64_t>(tokens.size()), static_cast<std::int64_t>(x.n_rows)};
        const arma::fmat result = expert_trace(Point::expert, expert.forward(gathered, config.hidden_act), rows);

        for (arma::uword i = 0; i < tokens.size(); ++i) {  // weighted, back to the places they came from
            add_scaled_row(output.hidden_states.colptr(tokens[i].token), result.colptr(i), tokens[i].weight,
                           static_cast<std::int64_t>(x.n_rows));
        }
    }
    if (training) output.aux_loss = load_balancing_loss(routing, config);
    return output;
}

}  // namespace minimind
