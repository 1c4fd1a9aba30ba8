// Pictures of numbers in characters: a matrix in shades from light to dark, a row as a curve. They read without colour.
#pragma once

#include <string>
#include <vector>

#include "console/language.hpp"
#include "console/terminal.hpp"

namespace minimind {

/// The characters of the shades, lightest first. A blank is for what takes no part: -inf, a weight of 0.
inline constexpr std::string_view shade_characters = ".:-=+*#%@";

struct AxisLabels {
    std::string name;                 // "S", "T"
    std::vector<std::string> labels;  // one a position: "0", "3"
    std::vector<std::string> texts;   // tokens; empty where there are none
};

struct ShadedMatrix {
    std::vector<std::vector<double>> rows;
    AxisLabels down;             // of the rows
    AxisLabels across;           // of the columns
    bool zero_is_blank = false;  // of attention weights: 0 is "not seen"
};

/// Lines of at most `width` cells: the columns' numbers and tokens, the rows, and the scale. Where there are more columns
/// than room, or more than 32 rows, several values become one character (their mean), which the scale says.
std::string shaded(const ShadedMatrix& matrix, std::size_t width, Language language, const Paint& paint);

/// A row of numbers as a curve, `height` lines high.
std::string curve(const std::vector<double>& values, const AxisLabels& across, std::size_t width, std::size_t height,
                  Language language);

}  // namespace minimind
