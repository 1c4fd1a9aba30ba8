#include "stepper/value_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/cells.hpp"
#include "console/table.hpp"

namespace minimind {

namespace {

/// How many rows and matrices are shown before something is left out.
constexpr std::int64_t most_rows = 24;
constexpr std::int64_t most_matrices = 8;
constexpr std::int64_t left_out = -1;

/// The positions 0 to count - 1, or with more than `most` the first and the last with `left_out` between them.
std::vector<std::int64_t> shown(std::int64_t count, std::int64_t most) {
    std::vector<std::int64_t> places;
    const std::int64_t tail = count <= most ? 0 : std::max<std::int64_t>(most / 4, 1);
    const std::int64_t head = count <= most ? count : std::max<std::int64_t>(most - tail - 1, 1);
    for (std::int64_t i = 0; i < head; ++i) places.push_back(i);
    if (count <= most) return places;
    places.push_back(left_out);
    for (std::int64_t i = count - tail; i < count; ++i) places.push_back(i);
    return places;
}

/// Six digits, which tell float32 numbers of one tensor apart; all of them for a single one.
std::string value_text(double value, Dtype dtype) {
    if (dtype == Dtype::i64) return fmt::format("{}", static_cast<std::int64_t>(value));
    return fmt::format("{:.6g}", value);
}

class ValueTable {
  public:
    ValueTable(const TensorView& tensor, const Selection& selection, std::size_t width)
        : tensor_(tensor), selection_(selection), width_(width) {
        for (std::size_t i = 0; i < selection.is_kept.size(); ++i) {
            if (selection.is_kept[i]) kept_.push_back(i);
        }
        index_.resize(selection.positions.size());
        for (std::size_t i = 0; i < index_.size(); ++i) index_[i] = selection.positions[i].front();
    }

    std::string text() {
        if (kept_.empty()) return number() + "\n";
        add_matrices(0);
        return std::move(text_);
    }

  private:
    double value() const {
        const std::int64_t offset = tensor_.offset(index_.data());
        return tensor_.dtype() == Dtype::f32 ? static_cast<double>(tensor_.f32()[offset])
                                             : static_cast<double>(tensor_.i64()[offset]);
    }

    std::string number() const {
        return tensor_.dtype() == Dtype::f32 ? float_text(static_cast<float>(value()))
                                             : value_text(value(), Dtype::i64);
    }

    const std::vector<std::int64_t>& positions(std::size_t kept) const { return selection_.positions[kept_[kept]]; }
    std::int64_t size(std::size_t kept) const { return std::ssize(positions(kept)); }
    void set(std::size_t kept, std::int64_t place) {
        index_[kept_[kept]] = positions(kept)[static_cast<std::size_t>(place)];
    }

    /// The kept axes before the last two, one after another.
    void add_matrices(std::size_t kept) {
        if (kept + 2 >= kept_.size()) return add_matrix();
        for (const std::int64_t place : shown(size(kept), most_matrices)) {
            if (place == left_out) {
                text_ += "...\n";
                continue;
            }
            set(kept, place);
            if (kept + 3 >= kept_.size()) text_ += heading();
            add_matrices(kept + 1);
        }
    }

    /// "[0, 1, :, :]"
    std::string heading() const {
        std::string text;
        for (std::size_t i = 0; i < index_.size(); ++i) {
            const bool is_shown = i == kept_[kept_.size() - 1] || i == kept_[kept_.size() - 2];
            text += (i == 0 ? "[" : ", ") + (is_shown ? std::string(":") : std::to_string(index_[i]));
        }
        return text + "]\n";
    }

    void add_matrix() {
        const bool has_rows = kept_.size() > 1;
        const std::size_t row_axis = has_rows ? kept_.size() - 2 : 0;
        std::vector<std::int64_t> rows = {0};
        if (has_rows) rows = shown(size(row_axis), most_rows);
        const std::size_t label = has_rows ? std::to_string(positions(row_axis).back()).size() + 3 : 0;
        const std::size_t cell = widest(rows, row_axis, has_rows) + 1;
        const auto fitting = static_cast<std::int64_t>(std::max<std::size_t>((width_ - label) / cell, 3));
        const std::size_t column_axis = kept_.size() - 1;
        if (!has_rows) return add_wrapped(cell, fitting);
        for (const std::int64_t row : rows) {
            if (row == left_out) {
                text_ += "...\n";
                continue;
            }
            set(row_axis, row);
            text_ += pad_left(fmt::format("[{}]", index_[kept_[row_axis]]), label - 1);
            for (const std::int64_t column : shown(size(column_axis), fitting)) {
                if (column != left_out) set(column_axis, column);
                text_ += pad_left(column == left_out ? "..." : value_text(value(), tensor_.dtype()), cell);
            }
            text_ += "\n";
        }
    }

    /// A vector, in as many lines as it takes, each with the index of its first number.
    void add_wrapped(std::size_t cell, std::int64_t fitting) {
        const std::int64_t count = size(0);
        const std::size_t label = std::to_string(positions(0).back()).size() + 3;
        fitting = std::max<std::int64_t>(static_cast<std::int64_t>((width_ - label) / cell), 1);
        const std::int64_t lines = (count + fitting - 1) / fitting;
        for (const std::int64_t line : shown(lines, most_rows)) {
            if (line == left_out) {
                text_ += "...\n";
                continue;
            }
            set(0, line * fitting);
            text_ += pad_left(fmt::format("[{}]", index_[kept_[0]]), label - 1);
            for (std::int64_t i = line * fitting; i < std::min(count, (line + 1) * fitting); ++i) {
                set(0, i);
                text_ += pad_left(value_text(value(), tensor_.dtype()), cell);
            }
            text_ += "\n";
        }
    }

    /// The longest number that may be shown.
    std::size_t widest(const std::vector<std::int64_t>& rows, std::size_t row_axis, bool has_rows) {
        constexpr std::int64_t most_looked_at = 400;
        std::size_t widest = 3;
        for (const std::int64_t row : rows) {
            if (row == left_out) continue;
            if (has_rows) set(row_axis, row);
            for (const std::int64_t column : shown(size(kept_.size() - 1), most_looked_at)) {
                if (column == left_out) continue;
                set(kept_.size() - 1, column);
                widest = std::max(widest, value_text(value(), tensor_.dtype()).size());
            }
        }
        return widest;
    }

    const TensorView& tensor_;
    const Selection& selection_;
    std::size_t width_;
    std::vector<std::size_t> kept_;    // axes that a range kept
    std::vector<std::int64_t> index_;  // of the element at hand
    std::string text_;
};

}  // namespace

std::string value_table(const TensorView& tensor, const Selection& selection, std::size_t width) {
    if (selection.count() == 0) return "[]\n";
    return ValueTable(tensor, selection, width).text();
}

}  // namespace minimind
