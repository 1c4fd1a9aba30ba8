#include "stepper/touch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "report/trace_report.hpp"
#include "stepper/rerun_effect.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

using Index = std::vector<std::int64_t>;

constexpr double rounding_share = 1e-6;  // of the stage's largest number

/// Row and position that an element of a stage belongs to.
struct CellPlace {
    std::size_t row = 0;
    std::size_t position = 0;
};

/// Finds the cell of an element by the axes of its stage.
class CellMap {
  public:
    CellMap(const Recording& recording, Site site, const Shape& shape) : recording_(recording), past_(recording.past()) {
        const std::vector<std::string> axes = axis_names(site.point);
        const auto axis_called = [&axes](std::initializer_list<std::string_view> names) {
            const auto found = std::ranges::find_if(
                axes, [&names](const std::string& axis) { return std::ranges::find(names, axis) != names.end(); });
            return found == axes.end() ? none : static_cast<std::size_t>(found - axes.begin());
        };
        row_ = axis_called({"B"});
        token_ = axis_called({"B*S"});
        // scores have queries S and keys T: a position is a query there
        position_ = axis_called({"S", "S-1"});
        first_ = past_;
        if (position_ == none) {
            position_ = axis_called({"T"});
            first_ = 0;
        }
        if (site.point == Point::lm_head) first_ += recording.batch().seq - shape[1];  // the last positions only
        if (site.point == Point::expert) tokens_ = tokens_of_expert(recording, site.layer, site.expert);
        is_expert_ = site.point == Point::expert;
    }

    bool has_rows() const { return row_ != none || token_ != none || is_expert_; }
    bool is_scalar() const { return !has_rows() && position_ == none; }

    CellPlace operator()(const Index& index) const {
        if (is_expert_ || token_ != none) {
            const std::int64_t n = is_expert_ ? tokens_[static_cast<std::size_t>(index[0])] : index[token_];
            const auto [b, s] = token_place(recording_, n);
            return {static_cast<std::size_t>(b), static_cast<std::size_t>(past_ + s)};
        }
        const std::int64_t row = row_ == none ? 0 : index[row_];
        const std::int64_t position = position_ == none ? 0 : first_ + index[position_];
        return {static_cast<std::size_t>(row), static_cast<std::size_t>(position)};
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    const Recording& recording_;
    std::int64_t past_;
    std::int64_t first_ = 0;
    std::size_t row_ = none;
    std::size_t token_ = none;
    std::size_t position_ = none;
    bool is_expert_ = false;
    std::vector<std::int64_t> tokens_;
};

/// The numbers of a stage by the cell that they belong to, in order.
using CellValues = std::vector<std::vector<std::vector<double>>>;

CellValues cell_values(const Recording& recording, Site site, TouchedStage& stage) {
    const TensorView& view = recording.view(site);
    const CellMap map(recording, site, view.shape());
    stage.has_rows = map.has_rows();
    const auto rows = static_cast<std::size_t>(map.has_rows() ? recording.batch().batch : 1);
    const auto positions = static_cast<std::size_t>(map.is_scalar() ? 1 : recording.past() + recording.batch().seq);
    CellValues values(rows, std::vector<std::vector<double>>(positions));
    const Shape shape = view.shape();
    Index index(shape.size(), 0);
    for (std::int64_t n = 0; n < view.count(); ++n) {
        const CellPlace place = map(index);
        values[place.row][place.position].push_back(value_at(view, index));
        for (std::size_t i = shape.size(); i-- > 0;) {  // the next index, as an odometer
            if (++index[i] < shape[i]) break;
            index[i] = 0;
        }
    }
    return values;
}

Cell compared(const std::vector<double>& a, const std::vector<double>& b, double noise) {
    if (a.empty() && b.empty()) return Cell::absent;
    if (a.size() != b.size()) return Cell::changed;  // a token that now chooses the expert, or no longer does
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        const double distance = std::abs(a[i] - b[i]);
        largest = std::max(largest, std::isnan(distance) ? HUGE_VAL : distance);
    }
    if (largest == 0.0) return Cell::same;
    return largest <= noise ? Cell::rounding : Cell::changed;
}

double largest_of(const CellValues& values) {
    double largest = 0.0;
    for (const auto& row : values) {
        for (const auto& cell : row) {
            for (const double value : cell) {
                if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
            }
        }
    }
    return largest;
}

TouchedStage touched_stage(const Recording& before, const Recording& after, Site site, bool is_noisy) {
    TouchedStage stage{site, true, {}};
    const CellValues old = before.keeps(site) ? cell_values(before, site, stage) : CellValues();
    const CellValues now = after.keeps(site) ? cell_values(after, site, stage) : CellValues();
    const double noise = is_noisy ? rounding_share * std::max(largest_of(old), largest_of(now)) : 0.0;
    const CellValues& shape = old.empty() ? now : old;
    for (std::size_t row = 0; row < shape.size(); ++row) {
        stage.cells.emplace_back();
        for (std::size_t position = 0; position < shape[row].size(); ++position) {
            const std::vector<double> nothing;
            const auto& a = old.empty() ? nothing : old[row][position];
            const auto& b = now.empty() ? nothing : now[row][position];
            stage.cells.back().push_back(compared(a, b, noise));
        }
    }
    return stage;
}

Error no_such_position(const Recording& recording, const Touch& touch) {
    const std::int64_t length = recording.past() + recording.batch().seq;
    Error error(fmt::format("there is no position {} in row {}", touch.position, touch.row));
    error.at(fmt::format("touch {},{}", touch.row, touch.position));
    error.help(fmt::format("positions are 0 to {}, rows 0 to {}: touch {}", length - 1, recording.batch().batch - 1,
                           length / 2));
    return error;
}

TokenInput with_token(const Recording& recording, const Touch& touch) {
    const std::int64_t vocab = recording.config().vocab_size;
    if (touch.id < 0 || touch.id >= vocab) {
        throw Error(fmt::format("token id {} is not in the vocabulary", touch.id))
            .at("touch")
            .help(fmt::format("use an id from 0 to {}", vocab - 1));
    }
    TokenInput input = recording.input();
    input.ids.ids[static_cast<std::size_t>(touch.row * input.ids.batch.seq + touch.position)] = touch.id;
    return input;
}

AxisSlice single(std::int64_t i) {
    AxisSlice axis;
    axis.is_index = true;
    axis.index = i;
    return axis;
}

/// One number of the position (of each head, where there are heads): the first of the last axis.
Slice touched_slice(const Recording& recording, const Touch& touch) {
    const Site site = *touch.stage;
    const Shape& shape = recording.stage(recording.find(site)).record.shape;
    const std::int64_t s = touch.position - recording.past();
    const std::int64_t n = touch.row * recording.batch().seq + s;
    Slice slice(shape.size());
    slice.back() = single(0);
    if (site.point == Point::expert) {
        const std::vector<std::int64_t> tokens = tokens_of_expert(recording, site.layer, site.expert);
        const auto found = std::ranges::find(tokens, n);
        if (found == tokens.end()) {
            throw Error(fmt::format("the token at position {} of row {} did not choose this expert", touch.position, touch.row))
                .at(site_name(site))
                .help("print mlp.topk_idx");
        }
        slice[0] = single(found - tokens.begin());
        return slice;
    }
    const std::vector<std::string> axes = axis_names(site.point);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] == "B") slice[i] = single(touch.row);
        if (axes[i] == "B*S") slice[i] = single(n);
        if (axes[i] == "S") slice[i] = single(site.point == Point::lm_head ? s - (recording.batch().seq - shape[i]) : s);
    }
    return slice;
}

/// A number that the stage does not have.
double new_value(const Recording& recording, Site site) {
    const Statistics& statistics = recording.stage(recording.find(site)).record.statistics;
    const double largest = std::max(std::abs(statistics.min), std::abs(statistics.max));
    return std::isfinite(largest) ? std::min(1.0 + 2.0 * largest, 1e30) : 1.0;
}

TouchedPasses run_touched_stage(const Recording& recording, const Touch& touch) {
    const Site site = *touch.stage;
    check_editable(site, "touch " + site_name(site));
    const bool is_missing = site.point == Point::lm_head &&
                            touch.position < recording.past() + recording.batch().seq - recording.view(site).axis(1).size;
    if (touch.position < recording.past() || is_missing) {
        throw Error(fmt::format("this pass has no {} at position {}", short_name(site), touch.position))
            .at("touch " + site_name(site))
            .note(is_missing ? "logits_to_keep leaves it out"
                             : fmt::format("positions 0 to {} come from the cache", recording.past() - 1))
            .help(fmt::format("touch {} {}", short_name(site), recording.past() + recording.batch().seq - 1));
    }
    std::vector<StageEdit> edits = recording.edits();
    edits.push_back({site, StageEdit::Action::scale, 1.0, touched_slice(recording, touch)});
    TouchedPasses passes;
    passes.before = record_pass(recording.model(), recording.input(), edits, recording.layer());
    edits.back().action = StageEdit::Action::set;
    edits.back().value = new_value(recording, site);
    passes.after = record_pass(recording.model(), recording.input(), edits, recording.layer());
    return passes;
}

}  // namespace

std::vector<TouchedStage> touched_stages(const Recording& before, const Recording& after, int layer) {
    std::vector<TouchedStage> touched;
    bool is_noisy = false;
    for (const Site site : sites_of(pass_kind(before.config(), before.input()))) {
        is_noisy = is_noisy || site.point == Point::expert;
        if (!is_shown_in_comparison(site, layer) || (!before.keeps(site) && !after.keeps(site))) continue;
        touched.push_back(touched_stage(before, after, site, is_noisy));
    }
    return touched;
}

TouchedPasses run_touched(const Recording& recording, const Touch& touch) {
    const Batch& all = recording.input().ids.batch;
    if (touch.row < 0 || touch.row >= all.batch || touch.position < 0 || touch.position >= all.seq) {
        throw no_such_position(recording, touch);
    }
    if (touch.stage) return run_touched_stage(recording, touch);
    TouchedPasses passes;
    passes.before = record_pass(recording.model(), recording.input(), recording.edits(), recording.layer());
    passes.after = record_pass(recording.model(), with_token(recording, touch), recording.edits(), recording.layer());
    return passes;
}

}  // namespace minimind
