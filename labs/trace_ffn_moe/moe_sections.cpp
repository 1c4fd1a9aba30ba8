#include "trace_ffn_moe/moe_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.hpp"
#include "report/parameter_counts.hpp"
#include "trace_ffn_moe/mlp_trace.hpp"

namespace minimind {

namespace {

using Json = LabOutput::Json;

/// The router of one layer as the textbook has it, token by token.
struct TokenRouting {
    std::vector<double> probs;         // [E]: softmax of the logits
    std::vector<std::int64_t> chosen;  // [K]: the largest first
    std::vector<double> weights;       // [K]
};

TokenRouting route_by_hand(const arma::fvec& logits, const ModelConfig& config) {
    TokenRouting token;
    double sum = 0.0;
    for (const float logit : logits) {
        token.probs.push_back(std::exp(static_cast<double>(logit - logits.max())));
        sum += token.probs.back();
    }
    for (double& p : token.probs) p /= sum;

    std::vector<std::int64_t> order(token.probs.size());
    std::iota(order.begin(), order.end(), 0);
    const auto is_larger = [&](std::int64_t a, std::int64_t b) {
        return token.probs[static_cast<std::size_t>(a)] > token.probs[static_cast<std::size_t>(b)];
    };
    std::stable_sort(order.begin(), order.end(), is_larger);
    token.chosen.assign(order.begin(), order.begin() + config.num_experts_per_tok);

    double chosen_sum = 0.0;
    for (const std::int64_t e : token.chosen) chosen_sum += token.probs[static_cast<std::size_t>(e)];
    for (const std::int64_t e : token.chosen) {
        const double p = token.probs[static_cast<std::size_t>(e)];
        token.weights.push_back(config.norm_topk_prob ? p / chosen_sum : p);
    }
    return token;
}

std::vector<TokenRouting> route_all_by_hand(const arma::fmat& logits, const ModelConfig& config) {
    std::vector<TokenRouting> routing;
    for (arma::uword token = 0; token < logits.n_cols; ++token) {
        routing.push_back(route_by_hand(logits.col(token), config));
    }
    return routing;
}

/// Every token for itself: the weighted sum of its experts. The engine gathers the tokens of each expert instead.
arma::fmat mix_by_hand(const arma::fmat& x, const MoeFeedForward& moe, const std::vector<TokenRouting>& routing,
                       const std::string& hidden_act) {
    arma::fmat y(x.n_rows, x.n_cols, arma::fill::zeros);  // [B, S, H]
    for (arma::uword token = 0; token < x.n_cols; ++token) {
        const TokenRouting& choice = routing[token];
        for (std::size_t k = 0; k < choice.chosen.size(); ++k) {
            const FeedForward& expert = moe.experts[static_cast<std::size_t>(choice.chosen[k])];
            y.col(token) += static_cast<float>(choice.weights[k]) * expert.forward(x.col(token), hidden_act);
        }
    }
    return y;
}

/// What each expert gets, over all tokens.
struct ExpertShare {
    std::int64_t tokens = 0;
    double load = 0.0;       // tokens / (B*S), all K choices together
    double mean_prob = 0.0;  // what the router gives it on average
};

std::vector<ExpertShare> shares_of(const std::vector<TokenRouting>& routing, const ModelConfig& config) {
    std::vector<ExpertShare> shares(static_cast<std::size_t>(config.num_experts));
    const auto tokens = static_cast<double>(routing.size());
    for (const TokenRouting& token : routing) {
        for (const std::int64_t e : token.chosen) ++shares[static_cast<std::size_t>(e)].tokens;
        for (std::size_t e = 0; e < shares.size(); ++e) shares[e].mean_prob += token.probs[e] / tokens;
    }
    for (ExpertShare& share : shares) share.load = static_cast<double>(share.tokens) / tokens;
    return shares;
}

/// The first four numbers, so that a line fits a terminal; the JSON has all of them.
std::string first_numbers(const std::vector<double>& numbers, const std::string& pattern) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i) {
        text += fmt::format(fmt::runtime(pattern), numbers[i]);
    }
    return text + (numbers.size() > most ? " .." : "");
}

void show_router(LabOutput& out, const arma::fmat& logits, const std::vector<TokenRouting>& routing,
                 std::int64_t shown) {
    const auto experts = static_cast<std::int64_t>(logits.n_rows);
    const int columns = static_cast<int>(std::min<std::int64_t>(experts, 4));
    out.section("Router");
    out.shape("mlp.gate", {static_cast<std::int64_t>(logits.n_cols), experts});
    out.line(fmt::format("{:>5}{:>{}}{:>{}}  top-k", "token", "logits", 8 * columns, "probs", 7 * columns));
    const auto count = std::min(logits.n_cols, static_cast<arma::uword>(shown));
    for (arma::uword token = 0; token < count; ++token) {
        const TokenRouting& choice = routing[token];
        const std::vector<double> of_token(logits.begin_col(token), logits.end_col(token));
        std::string chosen;
        for (std::size_t k = 0; k < choice.chosen.size(); ++k) {
            chosen += fmt::format(" {}:{:.2f}", choice.chosen[k], choice.weights[k]);
        }
        out.row(fmt::format("{:>5}{}{} {}", token, first_numbers(of_token, "{:>8.3f}"),
                            first_numbers(choice.probs, "{:>7.3f}"), chosen),
                {{"token", token},
                 {"logits", of_token},
                 {"probs", choice.probs},
                 {"topk_idx", choice.chosen},
                 {"topk_weight", choice.weights}});
    }
}

void show_dispatch(LabOutput& out, const std::vector<ExpertShare>& shares) {
    out.section("Dispatch");
    out.line(fmt::format("{:<7}{:>8}{:>10}{:>11}", "expert", "tokens", "load", "mean prob"));
    for (std::size_t e = 0; e < shares.size(); ++e) {
        const ExpertShare& share = shares[e];
        const auto length = static_cast<std::size_t>(std::lround(40.0 * share.load));
        const std::string bar = length == 0 ? "" : " " + std::string(length, '#');
        out.row(fmt::format("{:<7}{:>8}{:>10.4f}{:>11.4f}{}", e, share.tokens, share.load, share.mean_prob, bar),
                {{"expert", e}, {"tokens", share.tokens}, {"load", share.load}, {"mean_prob", share.mean_prob}});
    }
}

void show_aux_loss(LabOutput& out, const std::vector<ExpertShare>& shares, const ModelConfig& config,
                   double engine_layer, double engine_model) {
    double sum = 0.0;  // sum over experts of load * mean_prob
    for (const ExpertShare& share : shares) sum += share.load * share.mean_prob;
    const double by_hand = config.router_aux_loss_coef * static_cast<double>(config.num_experts) * sum;
    out.section("Auxiliary Loss");
    out.value("router_aux_loss_coef", config.router_aux_loss_coef);
    out.value("sum(load * mean_prob)", sum, fmt::format("{:.6f}", sum));
    out.value("aux_loss_by_hand", by_hand, fmt::format("{:.6e}", by_hand));
    out.value("aux_loss_of_the_layer", engine_layer, fmt::format("{:.6e}", engine_layer));
    out.value("aux_loss_of_the_model", engine_model, fmt::format("{:.6e}", engine_model));
}

void show_parameters(LabOutput& out, const ModelConfig& moe) {
    ModelConfig dense = moe;
    dense.use_moe = false;
    out.section("Parameters");
    out.line(fmt::format("{:<7}{:>16}{:>16}{:>16}{:>16}", "", "MLP of a block", "used by a token", "model", "active"));
    for (const ModelConfig& config : {dense, moe}) {
        const ParameterCounts counts = count_parameters(config);
        const std::int64_t unused = counts.block.expert * (config.num_experts - config.num_experts_per_tok);
        const std::int64_t used = counts.block.mlp - (config.use_moe ? unused : 0);
        const std::string name = config.use_moe ? "MoE" : "dense";
        out.row(fmt::format("{:<7}{:>16}{:>16}{:>16}{:>16}", name, with_commas(counts.block.mlp), with_commas(used),
                            with_commas(counts.total), with_commas(counts.active)),
                {{"model", name},
                 {"mlp_of_a_block", counts.block.mlp},
                 {"mlp_used_by_a_token", used},
                 {"total", counts.total},
                 {"active", counts.active}});
    }
}

/// Copies of one FFN in place of all experts: a weighted sum of equal outputs, and so that output if the weights add up
/// to 1, whatever the router says.
void show_equal_experts(LabOutput& out, const arma::fmat& x, MoeFeedForward moe, const ModelConfig& config,
                        const StageTrace& trace) {
    const FeedForward dense = moe.experts.front();
    for (FeedForward& expert : moe.experts) expert = dense;
    const arma::fmat mixed = moe.forward(x, config, false, trace).hidden_states;  // [B, S, H]
    const arma::fmat alone = dense.forward(x, config.hidden_act);                 // [B, S, H]
    const double difference = static_cast<double>(arma::abs(mixed - alone).max());
    out.section("Equal Experts");
    out.value("norm_topk_prob", config.norm_topk_prob);
    out.value("equal_experts_vs_dense_max_abs_diff", difference, fmt::format("{:.2e}", difference));
}

}  // namespace

void show_moe(LabOutput& out, const CausalLm& model, const TokenInput& input, int layer, std::int64_t shown) {
    const ModelConfig& config = model.config();
    const MlpTrace trace =
        trace_mlp(model, input, layer, {Point::post_attention_layernorm, Point::router_logits, Point::mlp});
    const arma::fmat x = values_of(trace.records.at(0));       // [B, S, H]
    const arma::fmat logits = values_of(trace.records.at(1));  // [B*S, E]
    const arma::fmat y = values_of(trace.records.at(2));       // [B, S, H]

    const MoeFeedForward& moe = model.model().layers[static_cast<std::size_t>(layer)].moe;
    const StageTrace no_trace(nullptr, input.ids.batch);
    const std::vector<TokenRouting> routing = route_all_by_hand(logits, config);
    const std::vector<ExpertShare> shares = shares_of(routing, config);
    show_router(out, logits, routing, shown);
    show_dispatch(out, shares);
    const arma::fmat by_hand = mix_by_hand(x, moe, routing, config.hidden_act);
    const double difference = static_cast<double>(arma::abs(by_hand - y).max());
    out.value("by_hand_vs_module_max_abs_diff", difference, fmt::format("{:.2e}", difference));
    show_aux_loss(out, shares, config, moe.forward(x, config, true, no_trace).aux_loss, trace.aux_loss);
    show_parameters(out, config);
    show_equal_experts(out, x, moe, config, no_trace);
}

}  // namespace minimind
