// A row of numbers as a curve: one column of characters a value, or for several values from their least to their largest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "console/cells.hpp"
#include "stepper/picture.hpp"
#include "stepper/shades.hpp"

namespace minimind {

namespace {

struct Span {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    bool is_empty() const { return least > most; }
};

Span span_of(const std::vector<double>& values, std::size_t first, std::size_t count) {
    Span span;
    for (std::size_t i = first; i < std::min(first + count, values.size()); ++i) {
        if (!std::isfinite(values[i])) continue;
        span.least = std::min(span.least, values[i]);
        span.most = std::max(span.most, values[i]);
    }
    return span;
}

/// Which line, from the top, a value falls on.
std::size_t line_of(double value, const Span& all, std::size_t height) {
    if (all.most <= all.least) return height / 2;
    const double share = (all.most - value) / (all.most - all.least);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(height - 1)));
}

}  // namespace

std::string curve(const std::vector<double>& values, const AxisLabels& across, std::size_t width, std::size_t height,
                  Language language) {
    const Span all = span_of(values, 0, values.size());
    if (all.is_empty()) return text(language, "no finite values\n", "没有有限的数值\n");
    const std::string top = number_text(all.most);
    const std::string bottom = number_text(all.least);
    const std::size_t label = std::max(top.size(), bottom.size()) + 1;
    const std::size_t beside = label + across.name.size() + 4;  // what stands left and right of the curve
    const std::size_t room = std::max<std::size_t>(width > beside + 8 ? width - beside : 8, 8);
    const std::size_t step = (values.size() + room - 1) / room;
    const std::size_t columns = (values.size() + step - 1) / step;
    const std::size_t cell = std::clamp<std::size_t>(room / columns, 1, 3);

    std::vector<std::string> lines(height, std::string(columns * cell, ' '));
    if (all.least < 0.0 && all.most > 0.0) lines[line_of(0.0, all, height)].assign(columns * cell, '-');
    for (std::size_t c = 0; c < columns; ++c) {
        const Span span = span_of(values, c * step, step);
        if (span.is_empty()) continue;
        for (std::size_t l = line_of(span.most, all, height); l <= line_of(span.least, all, height); ++l) {
            lines[l][c * cell] = '*';
        }
    }

    std::string picture;
    for (std::size_t l = 0; l < height; ++l) {
        const std::string mark = l == 0 ? top : l + 1 == height ? bottom : "";
        std::string line = pad_left(mark, label - 1) + " |" + lines[l];
        picture += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    const std::string first = across.labels.empty() ? "0" : across.labels.front();
    const std::string last = across.labels.empty() ? "" : across.labels.back();
    const std::size_t gap = columns * cell > first.size() + last.size() + 1 ? columns * cell - first.size() : 1;
    picture += std::string(label + 1, ' ') + first + (values.size() > 1 ? pad_left(last, gap) : "");
    picture += "  " + across.name + "\n";
    if (step > 1) {
        picture += fmt::format(fmt::runtime(text(language, "a column is {} values, from the least to the largest\n",
                                                 "每列代表 {} 个数，从最小到最大\n")),
                               step);
    }
    return picture;
}

}  // namespace minimind
