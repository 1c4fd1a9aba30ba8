#include "stepper/touch.hpp"

#include <algorithm>
#include <cmath>

#include "report/trace_report.hpp"
#include "stepper/rerun_effect.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

using Index = std::vector<std::int64_t>;

constexpr double rounding_share = 1e-6;  // of the stage's largest number

/// What is known of a cell while its numbers are compared.
struct CellDistance {
    bool is_present = false;
    double distance = 0.0;  // the largest |a - b|; infinite where one of the passes has no value
};

/// The grid of a stage: which of its axes are row and position.
class CellGrid {
  public:
    CellGrid(const Recording& recording, Site site, const Shape& shape)
        : recording_(recording), axes_(axis_names(site.point)), first_(recording.past()) {
        row_ = axis_called("B");
        token_ = std::min(axis_called("B*S"), axis_called("N"));
        position_ = std::min(axis_called("S"), axis_called("S-1"));  // of scores the query
        if (position_ == none) {
            position_ = axis_called("T");
            first_ = 0;
        }
        if (site.point == Point::lm_head)
            first_ += recording.batch().seq - shape[1];  // perhaps the last positions only
        const auto rows = static_cast<std::size_t>(has_rows() ? recording.batch().batch : 1);
        const bool is_scalar = !has_rows() && position_ == none;
        const auto positions = static_cast<std::size_t>(is_scalar ? 1 : recording.past() + recording.batch().seq);
        cells_.assign(rows, std::vector<CellDistance>(positions));
    }

    bool has_rows() const { return row_ != none || token_ != none; }

    /// Of an element of a stage that is not an expert's.
    CellDistance& cell(const Index& index) {
        if (token_ != none) return cell_of_token(index[token_]);
        const std::int64_t row = row_ == none ? 0 : index[row_];
        const std::int64_t position = position_ == none ? 0 : first_ + index[position_];
        return cells_[static_cast<std::size_t>(row)][static_cast<std::size_t>(position)];
    }
    CellDistance& cell_of_token(std::int64_t n) {
        const auto [b, s] = token_place(recording_, n);
        return cells_[static_cast<std::size_t>(b)][static_cast<std::size_t>(recording_.past() + s)];
    }

    /// The cells, where a distance of up to `noise` is rounding.
    std::vector<std::vector<Cell>> judged(double noise) const {
        std::vector<std::vector<Cell>> judged;
        for (const std::vector<CellDistance>& row : cells_) {
            judged.emplace_back();
            for (const CellDistance& cell : row) {
                const Cell present = cell.distance == 0.0     ? Cell::same
                                     : cell.distance <= noise ? Cell::rounding
                                                              : Cell::changed;
                judged.back().push_back(cell.is_present ? present : Cell::absent);
            }
        }
        return judged;
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::size_t axis_called(const std::string& name) const {
        const auto found = std::ranges::find(axes_, name);
        return found == axes_.end() ? none : static_cast<std::size_t>(found - axes_.begin());
    }

    const Recording& recording_;
    std::vector<std::string> axes_;
    std::int64_t first_;
    std::size_t row_ = none;
    std::size_t token_ = none;
    std::size_t position_ = none;
    std::vector<std::vector<CellDistance>> cells_;
};

void compare(double a, double b, CellDistance& cell, double& largest) {
    cell.is_present = true;
    if (std::isfinite(a)) largest = std::max(largest, std::abs(a));
    if (a == b || (std::isnan(a) && std::isnan(b))) return;
    const double distance = std::abs(a - b);
    cell.distance = std::max(cell.distance, std::isnan(distance) ? HUGE_VAL : distance);
}

/// The rows of an expert are tokens, which may be others in the two passes.
double compare_expert(const Recording& before, const Recording& after, Site site, CellGrid& grid) {
    const auto tokens = [&](const Recording& recording) {
        return recording.keeps(site) ? tokens_of_expert(recording, site.layer, site.expert)
                                     : std::vector<std::int64_t>();
    };
    const std::vector<std::int64_t> old_tokens = tokens(before);
    const std::vector<std::int64_t> new_tokens = tokens(after);
    double largest = 0.0;
    for (std::int64_t n = 0; n < before.batch().tokens(); ++n) {
        const auto old_row = std::ranges::find(old_tokens, n);
        const auto new_row = std::ranges::find(new_tokens, n);
        CellDistance& cell = grid.cell_of_token(n);
        if (old_row == old_tokens.end() && new_row == new_tokens.end()) continue;
        cell.is_present = true;
        if (old_row == old_tokens.end() || new_row == new_tokens.end()) {  // it changed its expert
            cell.distance = HUGE_VAL;
            continue;
        }
        const TensorView& a = before.view(site);
        const TensorView& b = after.view(site);
        for (std::int64_t i = 0; i < a.axis(1).size; ++i) {
            compare(value_at(a, {old_row - old_tokens.begin(), i}), value_at(b, {new_row - new_tokens.begin(), i}),
                    cell, largest);
        }
    }
    return largest;
}

/// Gives the stage's largest number.
double compare_stage(const TensorView& a, const TensorView& b, CellGrid& grid) {
    const Shape shape = a.shape();
    Index index(shape.size(), 0);
    double largest = 0.0;
    for (std::int64_t n = 0; n < a.count(); ++n) {
        compare(value_at(a, index), value_at(b, index), grid.cell(index), largest);
        for (std::size_t i = shape.size(); i-- > 0;) {  // the next index, as an odometer
            if (++index[i] < shape[i]) break;
            index[i] = 0;
        }
    }
    return largest;
}

TouchedStage touched_stage(const Recording& before, const Recording& after, Site site, bool is_noisy) {
    const Recording& any = before.keeps(site) ? before : after;
    CellGrid grid(before, site, any.view(site).shape());
    const double largest = site.point == Point::expert ? compare_expert(before, after, site, grid)
                                                       : compare_stage(before.view(site), after.view(site), grid);
    return {site, grid.has_rows(), grid.judged(is_noisy ? rounding_share * largest : 0.0)};
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

}  // namespace minimind
