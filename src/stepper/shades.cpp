#include "stepper/shades.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "console/cells.hpp"
#include "stepper/picture.hpp"

namespace minimind {

namespace {

constexpr std::size_t most_shade_rows = 32;
constexpr std::size_t widest_cell = 8;
constexpr std::size_t widest_row_label = 16;

/// The mean of the finite values of a part of a matrix; -inf if there are none, NaN if one is.
double mean_of(const std::vector<std::vector<double>>& rows, std::size_t r, std::size_t r_step, std::size_t c,
               std::size_t c_step) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t i = r; i < std::min(r + r_step, rows.size()); ++i) {
        for (std::size_t j = c; j < std::min(c + c_step, rows[i].size()); ++j) {
            if (std::isnan(rows[i][j])) return rows[i][j];
            if (std::isinf(rows[i][j])) continue;
            sum += rows[i][j];
            count += 1.0;
        }
    }
    return count > 0.0 ? sum / count : -std::numeric_limits<double>::infinity();
}

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void add(double value) {
        if (!std::isfinite(value)) return;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    bool is_empty() const { return least > most; }
};

class Shading {
  public:
    Shading(const ShadedMatrix& matrix, std::size_t width, Language language, const Paint& paint)
        : matrix_(matrix), width_(width), language_(language), paint_(paint) {
        columns_ = matrix.rows.empty() ? 0 : matrix.rows.front().size();
        label_ = row_label_width();
        const std::size_t room = std::max<std::size_t>(width > label_ + 8 ? width - label_ : 8, 8);
        column_step_ = (columns_ + room - 1) / room;
        const std::size_t shown = (columns_ + column_step_ - 1) / column_step_;
        cell_ = std::clamp<std::size_t>(room / std::max<std::size_t>(shown, 1), 1, wanted_cell());
        row_step_ = (matrix.rows.size() + most_shade_rows - 1) / most_shade_rows;
    }

    std::string text() {
        if (columns_ == 0) return "[]\n";
        reduce();
        std::string text = heading();
        for (std::size_t r = 0; r < reduced_.size(); ++r) {
            std::string line = pad_right(row_label(r * row_step_), label_);
            for (const double value : reduced_[r]) line += cell(value);
            text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        }
        return text + scale();
    }

  private:
    /// Cells that make token texts readable, else two, so that a square matrix looks square.
    std::size_t wanted_cell() const {
        std::size_t wanted = 2;
        for (const std::string& label : matrix_.across.labels) wanted = std::max(wanted, display_width(label) + 1);
        for (const std::string& token : matrix_.across.texts) wanted = std::max(wanted, display_width(token) + 1);
        return std::min(wanted, widest_cell);
    }

    std::string row_label(std::size_t row) const {
        std::string label = row < matrix_.down.labels.size() ? matrix_.down.labels[row] : "";
        if (row < matrix_.down.texts.size()) label += " " + matrix_.down.texts[row];
        return truncated(label, widest_row_label - 1);
    }

    /// "S\T": the rows' axis and the columns'.
    std::string corner() const {
        return matrix_.down.name.empty() ? matrix_.across.name : matrix_.down.name + "\\" + matrix_.across.name;
    }

    std::size_t row_label_width() const {
        std::size_t widest = display_width(corner());
        for (std::size_t r = 0; r < matrix_.rows.size(); ++r) widest = std::max(widest, display_width(row_label(r)));
        return widest + 1;
    }

    void reduce() {
        for (std::size_t r = 0; r < matrix_.rows.size(); r += row_step_) {
            reduced_.emplace_back();
            for (std::size_t c = 0; c < columns_; c += column_step_) {
                const double mean = mean_of(matrix_.rows, r, row_step_, c, column_step_);
                reduced_.back().push_back(mean);
                if (!is_blank(mean)) range_.add(mean);
            }
        }
    }

    /// The columns' numbers, where they fit in their cells, and the tokens under them; else every so many numbers.
    std::string heading() const {
        std::string numbers = pad_right(corner(), label_);
        std::string tokens = pad_right("", label_);
        const std::size_t shown = reduced_.front().size();
        std::size_t widest = 1;
        for (const std::string& label : matrix_.across.labels) widest = std::max(widest, display_width(label));
        const std::size_t every = (widest + cell_) / cell_;  // a number and a gap
        for (std::size_t c = 0; c < shown; c += every) {
            const std::size_t column = c * column_step_;
            if (column >= matrix_.across.labels.size()) break;
            const std::string& label = matrix_.across.labels[column];
            if (display_width(numbers) + display_width(label) <= width_) numbers += pad_right(label, cell_ * every);
        }
        const bool has_tokens = cell_ > 2 && column_step_ == 1 && !matrix_.across.texts.empty();
        for (std::size_t c = 0; has_tokens && c < std::min(shown, matrix_.across.texts.size()); ++c) {
            tokens += pad_right(truncated(matrix_.across.texts[c], cell_ - 1), cell_);
        }
        const auto line = [](const std::string& text) { return text.substr(0, text.find_last_not_of(' ') + 1) + "\n"; };
        return line(numbers) + (has_tokens ? line(tokens) : "");
    }

    bool is_blank(double value) const {
        return (std::isinf(value) && value < 0.0) || (matrix_.zero_is_blank && value == 0.0);
    }

    /// One value: its shade in all of its cells but one, which separates wide ones.
    std::string cell(double value) const {
        const std::size_t filled = cell_ > 2 ? cell_ - 1 : cell_;
        if (is_blank(value)) return std::string(cell_, ' ');
        char shade = '?';  // NaN
        if (std::isinf(value)) shade = '!';
        if (std::isfinite(value)) shade = shade_characters[shade_of(value)];
        const std::string shades = std::string(filled, shade);
        return (value < 0.0 ? paint_.blue(shades) : shades) + std::string(cell_ - filled, ' ');
    }

    std::size_t shade_of(double value) const {
        const double share = range_.most > range_.least ? (value - range_.least) / (range_.most - range_.least) : 1.0;
        const auto count = static_cast<double>(shade_characters.size());
        return static_cast<std::size_t>(std::min(share * count, count - 1.0));
    }

    std::string scale() const {
        std::string text;
        if (!range_.is_empty()) {
            text = fmt::format("{} {} ... {} {}", shade_characters.front(), number_text(range_.least),
                               shade_characters.back(), number_text(range_.most));
        }
        bool has_blank = false;
        bool has_nan = false;
        for (const std::vector<double>& row : reduced_) {
            has_blank = has_blank || std::ranges::any_of(row, [&](double value) { return is_blank(value); });
            has_nan = has_nan || std::ranges::any_of(row, [](double value) { return std::isnan(value); });
        }
        const char* blank = matrix_.zero_is_blank ? "0" : "-inf";
        if (has_blank) text += minimind::text(language_, ", blank ", "，空白 ") + blank;
        if (has_nan) text += minimind::text(language_, ", ? NaN", "，? NaN");
        if (row_step_ > 1 || column_step_ > 1) {
            text += fmt::format(fmt::runtime(minimind::text(language_, "; a character is the mean of {} x {} values",
                                                            "；每个字符是 {} x {} 个数的平均")),
                                row_step_, column_step_);
        }
        std::string lines;
        for (const std::string& line : wrap(text, width_)) lines += line + "\n";
        return lines;
    }

    const ShadedMatrix& matrix_;
    std::size_t width_;
    Language language_;
    const Paint& paint_;
    std::size_t columns_ = 0;
    std::size_t label_ = 0;
    std::size_t column_step_ = 1;
    std::size_t row_step_ = 1;
    std::size_t cell_ = 1;
    std::vector<std::vector<double>> reduced_;
    Range range_;
};

}  // namespace

std::string shaded(const ShadedMatrix& matrix, std::size_t width, Language language, const Paint& paint) {
    return Shading(matrix, width, language, paint).text();
}

}  // namespace minimind
