#include "compare_activations/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace minimind {

namespace {

constexpr auto chart_width = static_cast<std::size_t>(chart_columns);
constexpr auto rows = static_cast<std::size_t>(chart_rows);

/// Which row a value falls into; row 0 is the top.
struct YAxis {
    double top;
    double step;  // from one row to the next

    std::size_t row_of(double y) const { return static_cast<std::size_t>(std::lround((top - y) / step)); }
};

YAxis y_axis(const std::vector<Curve>& curves) {
    double least = 0.0;
    double most = 0.0;
    for (const Curve& curve : curves) {
        least = std::min(least, *std::min_element(curve.values.begin(), curve.values.end()));
        most = std::max(most, *std::max_element(curve.values.begin(), curve.values.end()));
    }
    if (least == most) most = 1.0;  // every curve lies on 0
    return {most, (most - least) / (chart_rows - 1)};
}

/// A curve as it is drawn, for all that look the same.
struct DrawnCurve {
    char mark;
    std::string names;
    const std::vector<double>& values;

    bool looks_like(const Curve& other, double step) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::abs(values[i] - other.values[i]) > 0.1 * step) return false;
        }
        return true;
    }
};

std::vector<DrawnCurve> drawn_curves(const std::vector<Curve>& curves, const YAxis& axis) {
    std::vector<DrawnCurve> drawn;
    for (const Curve& curve : curves) {
        const auto same = std::find_if(drawn.begin(), drawn.end(),
                                       [&](const DrawnCurve& other) { return other.looks_like(curve, axis.step); });
        if (same == drawn.end()) {
            drawn.push_back({curve.mark, curve.name, curve.values});
        } else {
            same->names += ", " + curve.name;
        }
    }
    return drawn;
}

/// Where x = 0 lies between `from` and `to`, as a column; beyond the last one if it is not between them.
std::size_t zero_column(double from, double to) {
    if (from > 0.0 || to < 0.0) return chart_width;
    return static_cast<std::size_t>(std::lround(-from / (to - from) * (chart_columns - 1)));
}

}  // namespace

std::vector<double> chart_points(double from, double to) {
    std::vector<double> x;
    for (int column = 0; column < chart_columns; ++column)
        x.push_back(from + (to - from) * column / (chart_columns - 1));
    return x;
}

std::vector<std::string> chart_lines(const std::vector<Curve>& curves, double from, double to) {
    const YAxis axis = y_axis(curves);
    const std::vector<DrawnCurve> drawn = drawn_curves(curves, axis);
    const std::size_t zero_row = axis.row_of(0.0);
    const std::size_t zero = zero_column(from, to);

    std::vector<std::string> canvas(rows, std::string(chart_width, ' '));
    canvas[zero_row] = std::string(chart_width, '-');
    if (zero < chart_width) {
        for (std::string& line : canvas) line[zero] = '|';
    }
    for (std::size_t column = 0; column < chart_width; ++column) {
        for (const DrawnCurve& curve : drawn) {
            char& cell = canvas[axis.row_of(curve.values[column])][column];
            const bool is_empty = cell == ' ' || cell == '-' || cell == '|';
            cell = is_empty ? curve.mark : '*';
        }
    }

    std::vector<std::string> lines;
    for (std::size_t row = 0; row < rows; ++row) {
        const bool has_label = row == 0 || row == zero_row || row + 1 == rows;
        const double y = row == zero_row ? 0.0 : axis.top - axis.step * static_cast<double>(row);
        const std::string& cells = canvas[row];
        lines.push_back((has_label ? fmt::format("{:>8.2f} |", y) : std::string(9, ' ') + "|") +
                        cells.substr(0, cells.find_last_not_of(' ') + 1));
    }
    const std::string last = fmt::format("{:g}", to);
    std::string scale = fmt::format("{:<{}g}{}", from, chart_width - last.size(), last);
    if (zero > 10 && zero + 10 < chart_width) scale[zero] = '0';
    lines.push_back(std::string(9, ' ') + "+" + std::string(chart_width, '-'));
    lines.push_back(std::string(10, ' ') + scale);
    std::string legend;
    for (const DrawnCurve& curve : drawn) legend += fmt::format("{} {}   ", curve.mark, curve.names);
    lines.push_back(std::string(10, ' ') + legend + "* several");
    return lines;
}

}  // namespace minimind
