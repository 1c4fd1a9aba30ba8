// What the parts of `why` share; each family of stages has a file of its own.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "stepper/why.hpp"

namespace minimind {

/// The number that is asked for.
struct WhyElement {
    const Recording& recording;
    Site site;
    std::vector<std::int64_t> index;

    const ModelConfig& config() const { return recording.config(); }
    const Block& block() const { return recording.model().model().layers[static_cast<std::size_t>(site.layer)]; }
    std::int64_t at(std::size_t axis) const { return index[axis]; }
    /// A stage of the same layer, or of none.
    Site stage(Point point, int expert = -1) const;
    double value(Point point, const std::vector<std::int64_t>& index, int expert = -1) const;
    double stored() const;
    /// "q_proj[0, 3, 5]"
    std::string name() const;
};

/// One number of a tensor. Precondition: the index is in range.
double value_at(const TensorView& tensor, const std::vector<std::int64_t>& index);

/// A stage's name without layer and module where it is clear: "q_proj", "mlp.gate", "resid_mid", "lm_head".
std::string short_name(Site site);
/// "q_proj[0, 3, 5]"; of a scalar the name alone.
std::string element_name(Site site, const std::vector<std::int64_t>& index);
/// "weight[5, i]", where one place is a letter: {"5", "i"}.
std::string indexed(const std::string& name, const std::vector<std::string>& places);

/// Where a number of a view comes from: the same number under another index. Of a position that an earlier call cached
/// it is the element itself.
struct ViewSource {
    Site site;
    std::vector<std::int64_t> index;
    Words how;
};
/// Precondition: the stage is one of those that why_view explains.
ViewSource source_of_view(const WhyElement& element);

/// Row n of [B*S, ...] as token (b, s).
struct TokenPlace {
    std::int64_t b, s;
};
TokenPlace token_place(const Recording& recording, std::int64_t n);

/// The tokens that chose an expert, in order: the rows of its output. Precondition: the layer is kept.
std::vector<std::int64_t> tokens_of_expert(const Recording& recording, int layer, std::int64_t expert);

/// (6 + sqrt(n)) * u * magnitude.
double float_rounding(double magnitude, std::size_t n = 1);

/// Terms of n products, from functions of the place.
template <typename A, typename B>
std::vector<WhyTerm> product_terms(std::int64_t n, const A& a, const B& b) {
    std::vector<WhyTerm> terms;
    terms.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) terms.push_back({i, a(i), b(i)});
    return terms;
}

/// An activation as x times a factor, which is what all of them are: silu(x) = x * sigmoid(x).
struct ActivationFactor {
    std::string name;  // "sigmoid(x)"
    double value;
};
ActivationFactor activation_factor(const std::string& hidden_act, double x);

// why_products.cpp
Why why_linear(const WhyElement& element);
Why why_scores(const WhyElement& element);
Why why_weighted_values(const WhyElement& element);
// why_norms.cpp
Why why_rms_norm(const WhyElement& element);
Why why_rope_table(const WhyElement& element);
Why why_rope(const WhyElement& element);
// why_softmax.cpp
Why why_mask(const WhyElement& element);
Why why_softmax(const WhyElement& element);
// why_mlp.cpp
Why why_activation(const WhyElement& element);
Why why_gated(const WhyElement& element);
Why why_residual(const WhyElement& element);
// why_moe.cpp
Why why_topk_idx(const WhyElement& element);
Why why_topk_weight(const WhyElement& element);
Why why_expert(const WhyElement& element);
Why why_mixture(const WhyElement& element);
// why_views.cpp
Why why_embedding(const WhyElement& element);
Why why_view(const WhyElement& element);
// why_loss.cpp
Why why_shift_labels(const WhyElement& element);
Why why_cross_entropy(const WhyElement& element);
Why why_mean_loss(const WhyElement& element);

}  // namespace minimind
