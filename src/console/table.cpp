#include "console/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "console/cells.hpp"

namespace minimind {

namespace {

std::string aligned(const std::string& cell, std::size_t width, Align align) {
    return align == Align::right ? pad_left(cell, width) : pad_right(cell, width);
}

std::string without_spaces_at_end(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

std::string for_markdown(const std::string& cell) {
    std::string result;
    for (const char c : cell) {
        if (c == '|') {
            result += "\\|";
        } else if (c == '\n') {
            result += "<br>";
        } else {
            result += c;
        }
    }
    return result;
}

std::string for_csv(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
    std::string result = "\"";
    for (const char c : cell) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + "\"";
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells) {
    if (cells.size() != columns_.size()) throw std::logic_error("a row needs one cell for each column");
    rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t width = display_width(columns_[i].heading);
        for (const auto& row : rows_) width = std::max(width, display_width(row[i]));
        widths.push_back(width);
    }
    return widths;
}

std::string Table::text() const {
    const std::vector<std::size_t> column_widths = widths();
    const auto line = [&](const auto& cell_of) {
        std::string result;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (i > 0) result += "  ";
            result += aligned(cell_of(i), column_widths[i], columns_[i].align);
        }
        return without_spaces_at_end(result) + "\n";
    };
    std::string result = line([&](std::size_t i) { return columns_[i].heading; });
    for (const auto& row : rows_) result += line([&](std::size_t i) { return row[i]; });
    return result;
}

std::string Table::markdown() const {
    std::string result = "|";
    for (const Column& column : columns_) result += " " + for_markdown(column.heading) + " |";
    result += "\n|";
    for (const Column& column : columns_) result += column.align == Align::right ? " ---: |" : " --- |";
    for (const auto& row : rows_) {
        result += "\n|";
        for (const std::string& cell : row) result += " " + for_markdown(cell) + " |";
    }
    return result + "\n";
}

std::string Table::csv() const {
    std::string result;
    for (std::size_t i = 0; i < columns_.size(); ++i) result += (i > 0 ? "," : "") + for_csv(columns_[i].heading);
    for (const auto& row : rows_) {
        result += "\n";
        for (std::size_t i = 0; i < row.size(); ++i) result += (i > 0 ? "," : "") + for_csv(row[i]);
    }
    return result + "\n";
}

std::string float_text(float value) {
    return fmt::format("{}", value);
}

}  // namespace minimind
