#include "model/config_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "model/activation.hpp"
#include "model/parameters.hpp"

namespace minimind {

namespace {

/// More tensors than any model has (the largest known have about 70,000); their names alone would fill the memory.
constexpr std::int64_t most_tensors = 1'000'000;

/// The numbers that divide n: all if they are few, else the nearest to `wanted`.
std::string divisors_text(std::int64_t n, std::int64_t wanted) {
    std::vector<std::int64_t> small;
    std::vector<std::int64_t> large;
    for (std::int64_t i = 1; i * i <= n; ++i) {
        if (n % i != 0) continue;
        small.push_back(i);
        if (i != n / i) large.insert(large.begin(), n / i);
    }
    small.insert(small.end(), large.begin(), large.end());
    constexpr std::size_t few = 8;
    while (small.size() > few) {
        const bool first_is_farther = wanted - small.front() > small.back() - wanted;
        small.erase(first_is_farther ? small.begin() : small.end() - 1);
    }
    const std::int64_t last = small.back();
    small.pop_back();
    return small.empty() ? fmt::format("{}", last) : fmt::format("{} or {}", fmt::join(small, ", "), last);
}

/// The checks of `completed`. Each error names the field as the user wrote it.
class Checker {
  public:
    Checker(const ModelConfig& config, const FieldName& field_name) : config_(config), field_name_(field_name) {}

    template <typename Value>
    std::string where(std::string_view field, const Value& value) const {
        return field_name_(field, fmt::format("{}", value));
    }

    void size(std::string_view field, std::int64_t value) const {
        if (value < 1) {
            throw Error(fmt::format("{} must be at least 1", field))
                .at(where(field, value))
                .help("use a whole number from 1");
        }
        if (value > largest_size) {
            throw Error(fmt::format("{} is too large", field))
                .at(where(field, value))
                .note(fmt::format("a size is at most 2^31 - 1 = {}", largest_size));
        }
    }

    /// A size for which 0 stands for "derive it".
    void derived_size(std::string_view field, std::int64_t value) const {
        if (value != 0) size(field, value);
    }

    void positive(std::string_view field, double value) const {
        if (std::isfinite(value) && value > 0.0) return;
        throw Error(fmt::format("{} must be a finite number above 0", field))
            .at(where(field, value))
            .help("use a number above 0, such as 1e-6 or 10000");
    }

    void finite(std::string_view field, double value) const {
        if (std::isfinite(value)) return;
        throw Error(fmt::format("{} must be a finite number", field)).at(where(field, value));
    }

    void sizes() const {
        size("hidden_size", config_.hidden_size);
        size("num_hidden_layers", config_.num_hidden_layers);
        size("vocab_size", config_.vocab_size);
        size("num_attention_heads", config_.num_attention_heads);
        size("num_key_value_heads", config_.num_key_value_heads);
        derived_size("head_dim", config_.head_dim);
        derived_size("intermediate_size", config_.intermediate_size);
        size("max_position_embeddings", config_.max_position_embeddings);
        if (!config_.use_moe) return;
        size("num_experts", config_.num_experts);
        size("num_experts_per_tok", config_.num_experts_per_tok);
        derived_size("moe_intermediate_size", config_.moe_intermediate_size);
    }

    void heads() const {
        const std::int64_t heads = config_.num_attention_heads;
        const std::int64_t kv_heads = config_.num_key_value_heads;
        if (heads % kv_heads == 0) return;
        throw Error(fmt::format("{} query heads cannot share {} key/value heads", heads, kv_heads))
            .at(where("num_key_value_heads", kv_heads))
            .note(fmt::format("each key/value head serves num_attention_heads / num_key_value_heads = {}/{} query "
                              "heads, which must be whole",
                              heads, kv_heads))
            .help("use " + divisors_text(heads, kv_heads));
    }

    /// Where head_dim is derived, what the user can change is hidden_size.
    void head_dim() const {
        const std::int64_t hidden = config_.hidden_size;
        const std::int64_t heads = config_.num_attention_heads;
        const bool derived = config_.head_dim == 0;
        const std::int64_t dim = derived ? hidden / heads : config_.head_dim;
        if (dim > 0 && dim % 2 == 0) return;
        Error error(dim == 0 ? fmt::format("a hidden size of {} is too small for {} heads", hidden, heads)
                             : fmt::format("rotary embeddings need an even head_dim, not {}", dim));
        error.at(derived ? where("hidden_size", hidden) : where("head_dim", dim));
        if (derived) {
            error.note(fmt::format("head_dim = hidden_size / num_attention_heads = {} / {} = {}, rounded down", hidden,
                                   heads, dim));
        }
        if (dim > 0) error.note("RoPE rotates pairs of values: the first half of a head with the second half");
        const std::int64_t even = dim + 2 - dim % 2;
        error.help(derived ? fmt::format("use a hidden_size of {}, or set head_dim to {}", even * heads, even)
                           : fmt::format("use {}", dim == 1 ? "2" : fmt::format("{} or {}", dim - 1, dim + 1)));
        throw error;
    }

    void activation() const {
        for (const std::string& name : activation_names()) {
            if (name == config_.hidden_act) return;
        }
        Error error(fmt::format("unknown activation '{}'", config_.hidden_act));
        error.at(where("hidden_act", config_.hidden_act));
        error.note(fmt::format("known: {}", fmt::join(activation_names(), ", ")));
        const bool other_name = config_.hidden_act == "swish";  // transformers knows silu by both
        const std::string nearest = other_name ? "silu" : nearest_name(config_.hidden_act, activation_names());
        if (!nearest.empty()) error.help(fmt::format("did you mean '{}'?", nearest));
        throw error;
    }

    void experts() const {
        if (!config_.use_moe || config_.num_experts_per_tok <= config_.num_experts) return;
        throw Error(
            fmt::format("a token cannot use {} of {} experts", config_.num_experts_per_tok, config_.num_experts))
            .at(where("num_experts_per_tok", config_.num_experts_per_tok))
            .help(fmt::format("use 1 to {}", config_.num_experts));
    }

    /// rope_theta is used as a float, so it must be above 0 as one.
    void numbers() const {
        positive("rope_theta", config_.rope_theta);
        if (config_.rope_theta < static_cast<double>(std::numeric_limits<float>::min())) {
            throw Error("rope_theta is 0 in float32").at(where("rope_theta", config_.rope_theta));
        }
        positive("rms_norm_eps", config_.rms_norm_eps);
        finite("router_aux_loss_coef", config_.router_aux_loss_coef);
        if (!config_.inference_rope_scaling) return;
        const RopeScaling& scaling = config_.rope_scaling;
        positive("rope_scaling.factor", scaling.factor);
        size("rope_scaling.original_max_position_embeddings", scaling.original_max_position_embeddings);
        positive("rope_scaling.beta_fast", scaling.beta_fast);
        positive("rope_scaling.beta_slow", scaling.beta_slow);
        finite("rope_scaling.attention_factor", scaling.attention_factor);
        if (config_.rope_theta == 1.0) {
            throw Error("YaRN needs a rope_theta other than 1")
                .at(where("rope_theta", config_.rope_theta))
                .note("it divides by ln(rope_theta), which is 0");
        }
    }

    /// Sizes that are fine alone, but not together. The config must be completed.
    void totals() const {
        try {
            parameter_count(config_);
        } catch (Error& error) {
            error.at(where_largest());
            throw;
        }
        const std::int64_t tensors = parameter_tensor_count(config_);
        if (tensors > most_tensors) {
            const bool layers = !config_.use_moe || config_.num_hidden_layers > config_.num_experts;
            throw Error(fmt::format("the model would have {} parameter tensors", tensors))
                .at(layers ? where("num_hidden_layers", config_.num_hidden_layers)
                           : where("num_experts", config_.num_experts))
                .note(fmt::format("at most {} are possible", most_tensors));
        }
        if (config_.max_position_embeddings > (std::int64_t{1} << 59) / config_.head_dim) {
            throw Error("the rotary tables would have 2^60 values or more")
                .at(where("max_position_embeddings", config_.max_position_embeddings))
                .note(fmt::format("two tables of max_position_embeddings rows of head_dim = {} values",
                                  config_.head_dim));
        }
    }

  private:
    /// The largest of the sizes that the number of parameters grows with.
    std::string where_largest() const {
        const std::pair<const char*, std::int64_t> sizes[] = {
            {"hidden_size", config_.hidden_size},
            {"num_hidden_layers", config_.num_hidden_layers},
            {"vocab_size", config_.vocab_size},
            {"num_attention_heads", config_.num_attention_heads},
            {"head_dim", config_.head_dim},
            {"intermediate_size", config_.intermediate_size},
            {"num_experts", config_.use_moe ? config_.num_experts : 0},
            {"moe_intermediate_size", config_.use_moe ? config_.moe_intermediate_size : 0},
        };
        const auto* largest = std::max_element(std::begin(sizes), std::end(sizes),
                                               [](const auto& a, const auto& b) { return a.second < b.second; });
        return where(largest->first, largest->second);
    }

    const ModelConfig& config_;
    const FieldName& field_name_;
};

}  // namespace

void check_fields(const ModelConfig& config, const FieldName& field_name) {
    const Checker check(config, field_name);
    check.sizes();
    check.heads();
    check.head_dim();
    check.activation();
    check.experts();
    check.numbers();
}

void check_totals(const ModelConfig& config, const FieldName& field_name) {
    Checker(config, field_name).totals();
    if (config.q_size() > largest_size) {
        throw Error("all query heads together are too wide")
            .at(field_name("head_dim", std::to_string(config.head_dim)))
            .note(fmt::format("num_attention_heads * head_dim = {}; at most 2^31 - 1", config.q_size()));
    }
}

}  // namespace minimind
