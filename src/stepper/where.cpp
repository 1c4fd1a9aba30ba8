#include "stepper/where.hpp"

#include <algorithm>
#include <deque>

#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

using Index = std::vector<std::int64_t>;

/// Stages whose every number is one of an earlier stage.
bool is_view(Point point, const ModelConfig& config) {
    switch (point) {
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
            return true;
        case Point::mlp:
            return !config.use_moe;
        default:
            return false;
    }
}

/// What may show the numbers of a stage, with the index that they have there.
class Followers {
  public:
    Followers(const Recording& recording, const ElementPlace& place)
        : recording_(recording), config_(recording.config()), site_(place.site), index_(place.index) {}

    std::vector<ElementPlace> all() {
        switch (site_.point) {
            case Point::embed_tokens:
                add({Point::resid_pre, 0}, index_);
                break;
            case Point::resid_post:
                add({Point::resid_pre, site_.layer + 1}, index_);
                break;
            case Point::q_proj:
                add({Point::q, site_.layer}, as_head());
                break;
            case Point::k_proj:
                add({Point::k, site_.layer}, as_head());
                break;
            case Point::v_proj:
                add({Point::v, site_.layer}, as_head());
                break;
            case Point::k_rope:
                add_new_key(Point::k_cache, Point::k_repeat);
                break;
            case Point::v:
                add_new_key(Point::v_cache, Point::v_repeat);
                break;
            case Point::k_cache:
                add_repeats(Point::k_repeat);
                break;
            case Point::v_cache:
                add_repeats(Point::v_repeat);
                break;
            case Point::z:
                add({Point::merged, site_.layer}, {index_[0], index_[2], index_[1] * config_.head_dim + index_[3]});
                break;
            case Point::o_proj:
                add({Point::self_attn, site_.layer}, index_);
                break;
            case Point::down_proj:
                add({Point::mlp, site_.layer}, index_);
                break;
            case Point::lm_head:
                if (index_[1] + 1 < recording_.batch().seq) add({Point::shift_logits}, index_);
                break;
            default:
                break;
        }
        return std::move(found_);
    }

  private:
    void add(Site site, Index index) {
        if (recording_.has(site)) found_.push_back({site, std::move(index)});
    }
    Index as_head() const { return {index_[0], index_[1], index_[2] / config_.head_dim, index_[2] % config_.head_dim}; }
    void add_new_key(Point cache, Point repeat) {
        if (recording_.past() == 0) return add_repeats(repeat);
        add({cache, site_.layer}, {index_[0], recording_.past() + index_[1], index_[2], index_[3]});
    }
    void add_repeats(Point repeat) {
        const std::int64_t group = config_.heads_per_kv_head();
        for (std::int64_t head = index_[2] * group; head < (index_[2] + 1) * group; ++head) {
            add({repeat, site_.layer}, {index_[0], index_[1], head, index_[3]});
        }
    }

    const Recording& recording_;
    const ModelConfig& config_;
    Site site_;
    Index index_;
    std::vector<ElementPlace> found_;
};

}  // namespace

std::vector<ElementPlace> places_of_element(const Recording& recording, Site site, const Index& index) {
    ElementPlace root{site, index};
    while (is_view(root.site.point, recording.config())) {  // back to where it was computed
        const ViewSource source = source_of_view({recording, root.site, root.index});
        if (source.site == root.site) break;  // it came with the cache
        root = {source.site, source.index};
    }
    std::vector<ElementPlace> places;
    std::deque<ElementPlace> open = {root};
    while (!open.empty()) {
        ElementPlace place = std::move(open.front());
        open.pop_front();
        for (ElementPlace& next : Followers(recording, place).all()) {
            next.how = source_of_view({recording, next.site, next.index}).how;
            open.push_back(std::move(next));
        }
        places.push_back(std::move(place));
    }
    std::ranges::stable_sort(places, {}, [&](const ElementPlace& place) { return recording.find(place.site); });
    return places;
}

std::int64_t flat_index(const Shape& shape, const Index& index) {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) flat = flat * shape[i] + index[i];
    return flat;
}

TensorView memory_layout(const Recording& recording, Site site) {
    const Shape& shape = recording.stage(recording.find(site)).record.shape;
    const ModelConfig& config = recording.config();
    const float* nothing = nullptr;
    switch (site.point) {
        case Point::k_repeat:
        case Point::v_repeat:  // [B, T, h, D] in [B, T, k, D]
            return {nothing,
                    {{shape[0], shape[1] * config.kv_size(), 1},
                     {shape[1], config.kv_size(), 1},
                     {shape[2], config.head_dim, config.heads_per_kv_head()},
                     {shape[3], 1, 1}}};
        case Point::z:  // [B, h, S, D] in [B, S, h*D]
            return {nothing,
                    {{shape[0], shape[2] * config.q_size(), 1},
                     {shape[1], config.head_dim, 1},
                     {shape[2], config.q_size(), 1},
                     {shape[3], 1, 1}}};
        case Point::shift_logits:  // [B, S-1, V] in [B, S, V]
            return {nothing, {{shape[0], (shape[1] + 1) * shape[2], 1}, {shape[1], shape[2], 1}, {shape[2], 1, 1}}};
        default:
            return {nothing, shape};
    }
}

}  // namespace minimind
