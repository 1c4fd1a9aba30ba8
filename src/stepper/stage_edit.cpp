#include "stepper/stage_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "core/error.hpp"

namespace minimind {

namespace {

/// What may be edited in place of a view.
const char* owner_of(Point point) {
    switch (point) {
        case Point::q:
            return "q_proj";
        case Point::k:
            return "k_proj";
        case Point::v:
        case Point::v_cache:
        case Point::v_repeat:
            return "v_proj";
        case Point::k_cache:
        case Point::k_repeat:
            return "k_rope";
        case Point::topk_idx:
            return "topk_weight or mlp.gate";
        case Point::shift_logits:
            return "lm_head";
        default:
            return "";
    }
}

std::int64_t size_of(const std::string& symbol, const ModelConfig& config, const PassSizes& sizes) {
    if (symbol == "B") return sizes.batch.batch;
    if (symbol == "S" || symbol == "S-1") return sizes.batch.seq - (symbol == "S" ? 0 : 1);
    if (symbol == "T") return sizes.past + sizes.batch.seq;
    if (symbol == "H") return config.hidden_size;
    if (symbol == "h") return config.num_attention_heads;
    if (symbol == "k") return config.num_key_value_heads;
    if (symbol == "D") return config.head_dim;
    if (symbol == "I") return config.intermediate_size;
    if (symbol == "V") return config.vocab_size;
    if (symbol == "E") return config.num_experts;
    if (symbol == "K") return config.num_experts_per_tok;
    return sizes.batch.tokens();  // N, the tokens of an expert: at most all
}

/// Attention's scores are edited one head at a time.
bool is_per_head(Point point) {
    return point == Point::scores || point == Point::masked_scores || point == Point::attn_weights;
}

constexpr std::int64_t elsewhere = -1;

/// Where an element of a stage, by its shown index, lies in the matrix that the hook is given; `elsewhere` if it is in
/// another head's. Every matrix is row-major as shown, but z comes as [B, S, h, D], and scores as [T, S] of one head.
std::int64_t place(Point point, const std::vector<std::int64_t>& index, const Shape& shape, std::int64_t call) {
    if (is_per_head(point)) {
        const bool is_here = index[0] * shape[1] + index[1] == call;
        return is_here ? index[2] * shape[3] + index[3] : elsewhere;
    }
    if (point == Point::z) {
        return ((index[0] * shape[2] + index[2]) * shape[1] + index[1]) * shape[3] + index[3];
    }
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < index.size(); ++i) offset = offset * shape[i] + index[i];
    return offset;
}

}  // namespace

std::string StageEdit::text() const {
    const std::string what = site_name(site) + slice_text(slice);
    if (action == Action::zero) return "ablate " + what;
    return fmt::format("{} {} {}", action == Action::scale ? "scale" : "set", what, value);
}

void check_editable(Site site, const std::string& where) {
    if (info(site.point).editable) return;
    Error error(site_name(site) + " cannot be changed");
    error.at(where).note("it is a view of another stage, an index, a rotary table, a label or a loss");
    const std::string owner = owner_of(site.point);
    throw error.help(owner.empty() ? "`minimind hooks` says which stages can be edited" : "change " + owner);
}

Shape shape_before(Site site, const ModelConfig& config, const PassSizes& sizes) {
    Shape shape;
    std::istringstream axes{std::string(info(site.point).axes)};
    for (std::string axis; axes >> axis;) {
        const std::size_t times = axis.find('*');
        std::int64_t size = size_of(axis.substr(0, times), config, sizes);
        if (times != std::string::npos) size *= size_of(axis.substr(times + 1), config, sizes);
        shape.push_back(size);
    }
    if (site.point == Point::lm_head && sizes.logits_to_keep > 0) shape[1] = std::min(shape[1], sizes.logits_to_keep);
    return shape;
}

StageEditor::StageEditor(std::vector<StageEdit> edits, const ModelConfig& config, const PassSizes& sizes)
    : edits_(std::move(edits)), config_(config), sizes_(sizes) {
    for (const StageEdit& edit : edits_) {
        check_editable(edit.site, edit.text());
        select(edit.slice, shape_before(edit.site, config_, sizes_), edit.text());
    }
}

bool StageEditor::edits(Site site) const {
    return std::ranges::any_of(edits_, [&](const StageEdit& edit) { return edit.site == site; });
}

void StageEditor::edit(Site site, arma::fmat& values) {
    const std::int64_t call = calls_[site.point][site.layer]++;
    for (const StageEdit& edit : edits_) {
        if (edit.site == site) apply(edit, values, call);
    }
}

void StageEditor::apply(const StageEdit& edit, arma::fmat& values, std::int64_t call) {
    Shape shape = shape_before(edit.site, config_, sizes_);
    if (edit.site.point == Point::expert) shape[0] = static_cast<std::int64_t>(values.n_cols);
    const Selection selection = select(edit.slice, shape, edit.text());
    const auto value = static_cast<float>(edit.action == StageEdit::Action::zero ? 0.0 : edit.value);
    const bool is_scaled = edit.action == StageEdit::Action::scale;
    if (edit.slice.empty()) {  // all of it, whichever head this is
        values.for_each([&](float& element) { element = is_scaled ? element * value : value; });
        return;
    }
    const std::int64_t count = selection.count();
    for (std::int64_t n = 0; n < count; ++n) {
        const std::int64_t at = place(edit.site.point, index_of(selection, n), shape, call);
        if (at == elsewhere) continue;
        float& element = values[static_cast<arma::uword>(at)];
        element = is_scaled ? element * value : value;
    }
}

}  // namespace minimind
