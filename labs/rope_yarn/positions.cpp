#include "rope_yarn/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/rope.hpp"
#include "random/generator.hpp"
#include "rope_yarn/rope_flags.hpp"

namespace minimind {

ModelConfig with_yarn(ModelConfig config, bool is_on) {
    config.inference_rope_scaling = is_on;
    return config;
}

namespace {

/// x [D, n] at position `start` and the following ones.
arma::fmat turned(const arma::fmat& x, const ModelConfig& config, std::int64_t start) {
    const auto seq = static_cast<std::int64_t>(x.n_cols);
    return apply_rope(x, rope_tables(config, start, seq), {1, seq});
}

/// The score of a vector of ones at position 0 with itself at `position`, as a share of its score at distance 0. All
/// pairs are equally long, so it is the mean of cos(position * f_i).
float similarity(const ModelConfig& config, std::int64_t position) {
    const arma::fmat ones(static_cast<arma::uword>(config.head_dim), 1, arma::fill::ones);
    const arma::fmat query = turned(ones, config, position);
    return arma::dot(query, turned(ones, config, 0)) / arma::dot(query, query);
}

double mean_cosine(const ModelConfig& config, std::int64_t position) {
    const std::vector<float> frequencies = rope_frequencies(config);
    double sum = 0.0;
    for (const float frequency : frequencies) {
        sum += std::cos(static_cast<double>(position) * static_cast<double>(frequency));
    }
    return sum / static_cast<double>(frequencies.size());
}

std::string bar(float value) {
    return std::string(static_cast<std::size_t>(std::lround(14.0F * std::max(value, 0.0F))), '#');
}

}  // namespace

void show_similarity(LabOutput& out, const ModelConfig& config, const std::vector<std::int64_t>& positions) {
    const ModelConfig plain = with_yarn(config, false);
    const ModelConfig yarn = with_yarn(config, true);
    out.section("Similarity Against Distance");
    out.line("distance   q . k  mean cos(d f_i)    YaRN   q . k           YaRN");
    for (const std::int64_t position : positions) {
        const float without = similarity(plain, position);
        const float with = similarity(yarn, position);
        const double by_hand = mean_cosine(plain, position);
        std::string line = fmt::format("{:>8}  {:>6.3f}  {:>15.3f}  {:>6.3f}   {:<14}  {}", position, without, by_hand,
                                       with, bar(without), bar(with));
        line.erase(line.find_last_not_of(' ') + 1);
        out.row(line, {{"distance", position}, {"similarity", without}, {"mean_cosine", by_hand}, {"yarn", with}});
    }
}

namespace {

/// The same turn as a textbook writes it, in double: pair (x[i], x[i + D/2]) of column s turns by (start + s) * f_i.
arma::mat turned_by_hand(const arma::fmat& x, const ModelConfig& config, std::int64_t start) {
    const std::vector<float> frequencies = rope_frequencies(config);
    const arma::uword half = frequencies.size();
    arma::mat y(x.n_rows, x.n_cols);
    for (arma::uword s = 0; s < x.n_cols; ++s) {
        for (arma::uword i = 0; i < half; ++i) {
            const double angle =
                static_cast<double>(start + static_cast<std::int64_t>(s)) * static_cast<double>(frequencies[i]);
            const auto a = static_cast<double>(x(i, s));
            const auto b = static_cast<double>(x(i + half, s));
            y(i, s) = a * std::cos(angle) - b * std::sin(angle);
            y(i + half, s) = b * std::cos(angle) + a * std::sin(angle);
        }
    }
    return y;
}

}  // namespace

void show_shift(LabOutput& out, const ModelConfig& config, const std::vector<std::int64_t>& shifts,
                std::uint64_t seed) {
    const auto dim = static_cast<arma::uword>(config.head_dim);
    const auto seq = static_cast<arma::uword>(tokens_to_shift(config));
    Generator generator(seed);
    arma::fmat q(dim, seq, arma::fill::none);  // [S, D]
    arma::fmat k(dim, seq, arma::fill::none);
    generator.fill_normal(q.memptr(), q.n_elem, 0.0, 1.0);  // torch.randn(S, D)
    generator.fill_normal(k.memptr(), k.n_elem, 0.0, 1.0);
    const arma::fmat q_first = turned(q, config, 0);
    const arma::fmat scores = turned(k, config, 0).t() * q_first;  // [S, S]
    const arma::mat exact = turned_by_hand(k, config, 0).t() * turned_by_hand(q, config, 0);

    out.section("A Shift Of All Positions");
    out.shape("q", {static_cast<std::int64_t>(seq), config.head_dim});
    out.shape("scores", {static_cast<std::int64_t>(seq), static_cast<std::int64_t>(seq)});
    const float largest = arma::abs(scores).max();
    out.value("largest_score", largest, fmt::format("{:.4f}", largest));
    out.line("max abs diff of the scores");
    out.line("   shift   float32, engine   float64, by hand   only keys moved");
    for (const std::int64_t shift : shifts) {
        const arma::fmat k_shifted = turned(k, config, shift);
        const arma::fmat all_moved = k_shifted.t() * turned(q, config, shift);
        const arma::fmat keys_moved = k_shifted.t() * q_first;
        const arma::mat by_hand = turned_by_hand(k, config, shift).t() * turned_by_hand(q, config, shift);
        const float noise = arma::abs(all_moved - scores).max();
        const double exact_noise = arma::abs(by_hand - exact).max();
        const float change = arma::abs(keys_moved - scores).max();
        out.row(fmt::format("{:>8}   {:>15.8f}   {:>16.1e}   {:>15.4f}", shift, noise, exact_noise, change),
                {{"shift", shift},
                 {"max_abs_diff", noise},
                 {"float64_max_abs_diff", exact_noise},
                 {"only_keys_moved_max_abs_diff", change}});
    }
}

}  // namespace minimind
