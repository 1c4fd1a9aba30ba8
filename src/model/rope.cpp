#include "model/rope.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/threads.hpp"
#include "model/vector_math.hpp"

namespace minimind {

namespace {

/// YaRN applies only beyond the length that the model was trained on.
bool stretched(const ModelConfig& config) {
    return config.inference_rope_scaling &&
           config.max_position_embeddings > config.rope_scaling.original_max_position_embeddings;
}

void apply_yarn(std::vector<float>& frequencies, const ModelConfig& config) {
    const RopeScaling& yarn = config.rope_scaling;
    const auto head_dim = static_cast<double>(config.head_dim);
    const auto original = static_cast<double>(yarn.original_max_position_embeddings);
    const auto inv_dim = [&](double turns) {
        return head_dim * std::log(original / (turns * 2.0 * std::numbers::pi)) / (2.0 * std::log(config.rope_theta));
    };
    const double low = std::max(std::floor(inv_dim(yarn.beta_fast)), 0.0);
    const double high = std::min(std::ceil(inv_dim(yarn.beta_slow)), std::floor(head_dim / 2.0) - 1.0);
    const auto width = static_cast<float>(std::max(high - low, 0.001));
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const float ramp = std::clamp((static_cast<float>(i) - static_cast<float>(low)) / width, 0.0F, 1.0F);
        frequencies[i] *= (1.0F - ramp) + ramp / static_cast<float>(yarn.factor);
    }
}

}  // namespace

std::vector<float> rope_frequencies(const ModelConfig& config) {
    std::vector<float> frequencies(static_cast<std::size_t>(config.head_dim / 2));
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const float exponent = static_cast<float>(2 * i) / static_cast<float>(config.head_dim);
        frequencies[i] = 1.0F / std::pow(static_cast<float>(config.rope_theta), exponent);
    }
    if (stretched(config)) apply_yarn(frequencies, config);
    return frequencies;
}

float rope_attention_factor(const ModelConfig& config) {
    return stretched(config) ? static_cast<float>(config.rope_scaling.attention_factor) : 1.0F;
}

RotaryTables rope_tables(const ModelConfig& config, std::int64_t start_pos, std::int64_t seq) {
    const std::vector<float> frequencies = rope_frequencies(config);
    const float factor = rope_attention_factor(config);
    const auto head_dim = static_cast<arma::uword>(config.head_dim);
    const auto half = frequencies.size();
    RotaryTables tables{arma::fmat(head_dim, static_cast<arma::uword>(seq), arma::fill::none),
                        arma::fmat(head_dim, static_cast<arma::uword>(seq), arma::fill::none)};
    parallel_for(seq, 16 * seq * config.head_dim, [&](std::int64_t s) {
        float* cos = tables.cos.colptr(static_cast<arma::uword>(s));
        float* sin = tables.sin.colptr(static_cast<arma::uword>(s));
        for (std::size_t i = 0; i < half; ++i) {
            const float angle = static_cast<float>(start_pos + s) * frequencies[i];
            cos[i] = cos[i + half] = std::cos(angle) * factor;
            sin[i] = sin[i + half] = std::sin(angle) * factor;
        }
    });
    return tables;
}

arma::fmat apply_rope(arma::fmat x, const RotaryTables& tables, Batch batch) {
    const auto head_dim = static_cast<std::int64_t>(tables.cos.n_rows);
    const auto width = static_cast<std::int64_t>(x.n_rows);
    parallel_for(batch.tokens(), static_cast<std::int64_t>(x.n_elem), [&](std::int64_t token) {
        const auto position = static_cast<arma::uword>(token % batch.seq);
        float* heads = x.colptr(static_cast<arma::uword>(token));
        for (std::int64_t first = 0; first < width; first += head_dim) {
            rotate_row(heads + first, tables.cos.colptr(position), tables.sin.colptr(position), head_dim);
        }
    });
    return x;
}

}  // namespace minimind
