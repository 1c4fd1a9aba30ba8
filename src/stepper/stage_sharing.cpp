#include "stepper/stage_sharing.hpp"

#include <algorithm>
#include <bit>

#include "stepper/recording.hpp"

namespace minimind {

namespace {

/// The stages that may own a stage's bytes, the likeliest first.
std::vector<Point> owners_of(Point point) {
    switch (point) {
        case Point::resid_pre:
            return {Point::resid_post, Point::embed_tokens};
        case Point::q:
            return {Point::q_proj};
        case Point::k:
            return {Point::k_proj};
        case Point::v:
            return {Point::v_proj};
        case Point::k_repeat:
            return {Point::k_cache, Point::k_rope};
        case Point::v_repeat:
            return {Point::v_cache, Point::v};
        case Point::self_attn:
            return {Point::o_proj};
        case Point::mlp:
            return {Point::down_proj};
        case Point::shift_logits:
            return {Point::lm_head};
        default:
            return {};
    }
}

const Stage* latest(const std::vector<Stage>& stages, Point point) {
    const auto found = std::find_if(stages.rbegin(), stages.rend(),
                                    [&](const Stage& stage) { return stage.site().point == point && stage.is_kept; });
    return found == stages.rend() ? nullptr : &*found;
}

/// The owner's bytes with the axes of the tensor that is to be shown.
TensorView with_axes_of(const TensorView& tensor, const TensorView& owner, Point point, const ModelConfig& config) {
    const Shape shape = tensor.shape();
    if (point == Point::k_repeat || point == Point::v_repeat) {  // [B, T, h, D] over [B, T, k, D]
        const std::int64_t row = config.kv_size();
        const std::int64_t dim = config.head_dim;
        return {owner.f32(),
                {{shape[0], shape[1] * row, 1},
                 {shape[1], row, 1},
                 {shape[2], dim, config.heads_per_kv_head()},
                 {dim, 1, 1}}};
    }
    if (point == Point::shift_logits) {  // [B, S-1, V] over [B, S, V]
        return {owner.f32(), {{shape[0], (shape[1] + 1) * shape[2], 1}, {shape[1], shape[2], 1}, {shape[2], 1, 1}}};
    }
    return {owner.f32(), shape};
}

/// Bit for bit, so that a NaN equals itself.
bool same_values(const TensorView& a, const TensorView& b) {
    const std::int64_t width = a.rank() == 0 ? 1 : a.axis(a.rank() - 1).size;
    std::vector<std::int64_t> rows_of_b;
    b.for_each_row([&](std::int64_t offset) { rows_of_b.push_back(offset); });
    bool same = true;
    std::size_t row = 0;
    a.for_each_row([&](std::int64_t offset) {
        const float* left = a.f32() + offset;
        const float* right = b.f32() + rows_of_b[row++];
        same = same && std::equal(left, left + width, right, [](float x, float y) {
                   return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
               });
    });
    return same;
}

}  // namespace

bool is_view_of_another(Point point) {
    return !owners_of(point).empty();
}

std::optional<TensorView> shared_view(const std::vector<Stage>& kept, Site site, const TensorView& tensor,
                                      const ModelConfig& config) {
    for (const Point point : owners_of(site.point)) {
        const Stage* owner = latest(kept, point);
        if (owner == nullptr) continue;
        if (point != Point::resid_post && point != Point::embed_tokens && owner->site().layer != site.layer) continue;
        const TensorView view = with_axes_of(tensor, owner->view, site.point, config);
        if (same_values(tensor, view)) return view;
    }
    return std::nullopt;
}

}  // namespace minimind
