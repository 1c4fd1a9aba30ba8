#include "lessons/rendered_table.hpp"

#include <algorithm>
#include <numeric>

#include "console/cells.hpp"
#include "lessons/inline_text.hpp"

namespace minimind {

namespace {

constexpr std::size_t gap = 2;  // between columns

using Widths = std::vector<std::size_t>;

std::size_t sum(const Widths& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

/// Takes cells from the widest column, again and again, until the sum fits or no column is above its least.
void narrow(Widths& widths, const Widths& least, std::size_t room) {
    for (std::size_t total = sum(widths); total > room; --total) {
        std::size_t widest = widths.size();
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
        }
        if (widest == widths.size()) return;
        --widths[widest];
    }
}

std::string aligned(const std::string& line, std::size_t cells, MarkdownBlock::Align align) {
    if (align == MarkdownBlock::Align::right) return pad_left(line, cells);
    if (align == MarkdownBlock::Align::left) return pad_right(line, cells);
    const std::size_t width = display_width(line);
    return pad_right(pad_left(line, width + (cells > width ? (cells - width) / 2 : 0)), cells);
}

std::string without_spaces_at_end(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

/// A row of the table as lines.
std::vector<std::string> row_lines(const MarkdownBlock& row, const Widths& widths, const Rendering& rendering) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        std::vector<Run> runs = runs_of(row.children[i], rendering);
        for (Run& run : runs) run.look.is_strong = run.look.is_strong || row.is_head;
        cells.push_back(broken_lines(runs, widths[i], rendering.paint));
        height = std::max(height, cells.back().size());
    }
    std::vector<std::string> lines;
    for (std::size_t k = 0; k < height; ++k) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (i > 0) line += std::string(gap, ' ');
            line += aligned(k < cells[i].size() ? cells[i][k] : "", widths[i], row.children[i].align);
        }
        lines.push_back(without_spaces_at_end(line));
    }
    return lines;
}

bool is_empty_row(const MarkdownBlock& row) {
    return std::all_of(row.children.begin(), row.children.end(),
                       [](const MarkdownBlock& cell) { return cell.spans.empty(); });
}

}  // namespace

std::vector<std::size_t> column_widths(const std::vector<std::size_t>& wanted, const std::vector<std::size_t>& least,
                                       std::size_t room) {
    Widths widths = wanted;
    narrow(widths, least, room);
    narrow(widths, Widths(widths.size(), 1), room);  // not even the longest words fit beside each other
    return widths;
}

std::vector<std::string> table_lines(const MarkdownBlock& table, const Rendering& rendering) {
    const std::size_t columns = table.children.front().children.size();
    Widths wanted(columns, 1);
    Widths least(columns, 1);
    for (const MarkdownBlock& row : table.children) {
        for (std::size_t i = 0; i < columns; ++i) {
            const std::vector<Run> runs = runs_of(row.children[i], rendering);
            wanted[i] = std::max(wanted[i], unbroken_width(runs));
            least[i] = std::max(least[i], longest_piece(runs));
        }
    }
    const std::size_t gaps = gap * (columns - 1);
    const Widths widths = column_widths(wanted, least, rendering.width > gaps ? rendering.width - gaps : 0);

    std::vector<std::string> lines;
    for (const MarkdownBlock& row : table.children) {
        if (row.is_head && is_empty_row(row)) continue;
        for (const std::string& line : row_lines(row, widths, rendering)) lines.push_back(line);
        if (!row.is_head) continue;
        std::string rule;
        for (const std::size_t width : widths) rule += (rule.empty() ? "" : "  ") + std::string(width, '-');
        lines.push_back(rendering.paint.dim(rule));
    }
    return lines;
}

}  // namespace minimind
