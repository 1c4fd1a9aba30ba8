// Curves drawn with plain characters, for a terminal of 80 columns, with or without colour.
//
//     3.0 |                               ss
//         |                            sss
//     0.0 |sssssssssss-------------sss------
//         +---------------------------------
//          -5                 0            5
#pragma once

#include <string>
#include <vector>

namespace minimind {

/// One value for each column of the chart.
struct Curve {
    char mark = '*';
    std::string name;
    std::vector<double> values;
};

inline constexpr int chart_columns = 68;
inline constexpr int chart_rows = 16;

/// The x of each column, from `from` in the first to `to` in the last.
std::vector<double> chart_points(double from, double to);

/// The lines of the chart, and under them what the marks mean. The y axis spans all values and 0. Where two curves meet
/// in a cell stands a *; curves that never differ by more than a tenth of a line are drawn as one.
/// Preconditions: from < to; every curve has a finite value for each of chart_points.
std::vector<std::string> chart_lines(const std::vector<Curve>& curves, double from, double to);

}  // namespace minimind
