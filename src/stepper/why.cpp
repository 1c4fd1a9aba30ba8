#include "stepper/why.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

Why why_computed(const WhyElement& element) {
    switch (element.site.point) {
        case Point::embed_tokens:
            return why_embedding(element);
        case Point::rope_cos:
        case Point::rope_sin:
            return why_rope_table(element);
        case Point::input_layernorm:
        case Point::post_attention_layernorm:
        case Point::q_norm:
        case Point::k_norm:
        case Point::norm:
            return why_rms_norm(element);
        case Point::q_proj:
        case Point::k_proj:
        case Point::v_proj:
        case Point::o_proj:
        case Point::gate_proj:
        case Point::up_proj:
        case Point::down_proj:
        case Point::router_logits:
        case Point::lm_head:
            return why_linear(element);
        case Point::q_rope:
        case Point::k_rope:
            return why_rope(element);
        case Point::scores:
            return why_scores(element);
        case Point::masked_scores:
            return why_mask(element);
        case Point::attn_weights:
        case Point::router_probs:
            return why_softmax(element);
        case Point::z:
            return why_weighted_values(element);
        case Point::resid_mid:
        case Point::resid_post:
            return why_residual(element);
        case Point::act_fn:
            return why_activation(element);
        case Point::gated:
            return why_gated(element);
        case Point::topk_idx:
            return why_topk_idx(element);
        case Point::topk_weight:
            return why_topk_weight(element);
        case Point::expert:
            return why_expert(element);
        case Point::mlp:
            return element.config().use_moe ? why_mixture(element) : why_view(element);
        case Point::shift_labels:
            return why_shift_labels(element);
        case Point::per_token_loss:
            return why_cross_entropy(element);
        case Point::loss:
            return why_mean_loss(element);
        case Point::resid_pre:
        case Point::q:
        case Point::k:
        case Point::v:
        case Point::k_cache:
        case Point::v_cache:
        case Point::k_repeat:
        case Point::v_repeat:
        case Point::merged:
        case Point::self_attn:
        case Point::shift_logits:
            return why_view(element);
    }
    return {};
}

bool reaches(const StageEdit& edit, const WhyElement& element) {
    if (edit.site != element.site) return false;
    const Selection selection = select(edit.slice, element.recording.view(element.site).shape(), edit.text());
    for (std::size_t axis = 0; axis < element.index.size(); ++axis) {
        const std::vector<std::int64_t>& places = selection.positions[axis];
        if (std::ranges::find(places, element.index[axis]) == places.end()) return false;
    }
    return true;
}

double edited(const StageEdit& edit, double value) {
    switch (edit.action) {
        case StageEdit::Action::zero:
            return 0.0;
        case StageEdit::Action::scale:
            return value * static_cast<double>(static_cast<float>(edit.value));
        case StageEdit::Action::set:
            return static_cast<double>(static_cast<float>(edit.value));
    }
    return value;
}

}  // namespace

double WhySum::total() const {
    double sum = 0.0;
    for (const WhyTerm& term : terms) sum += term.value();
    return sum;
}

double WhySum::magnitude() const {
    double sum = 0.0;
    for (const WhyTerm& term : terms) sum += std::abs(term.value());
    return sum;
}

double Why::difference() const {
    const bool both_nan = std::isnan(result()) && std::isnan(stored);
    return both_nan || result() == stored ? 0.0 : std::abs(result() - stored);
}

bool Why::overflows() const {
    const auto is_beyond = [](double value) { return std::abs(value) > std::numeric_limits<float>::max(); };
    return std::ranges::any_of(steps, [&is_beyond](const WhyStep& step) {
        return is_beyond(step.value) || (step.sum && is_beyond(step.sum->magnitude()));
    });
}

Why why(const Recording& recording, Site site, const std::vector<std::int64_t>& index) {
    const WhyElement element{recording, site, index};
    Why answer = why_computed(element);
    answer.stored = element.stored();
    for (const StageEdit& edit : recording.edits()) {
        if (!reaches(edit, element)) continue;
        const double value = edited(edit, answer.result());
        answer.rounding = edit.action == StageEdit::Action::scale
                              ? (answer.rounding + float_rounding(std::abs(answer.result()))) * std::abs(edit.value)
                              : 0.0;
        answer.steps.push_back({edit.text(), value, {"your edit of this stage", "你对这个阶段的修改"}});
    }
    return answer;
}

}  // namespace minimind
