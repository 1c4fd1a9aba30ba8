// Rows of cells as a text table, Markdown or CSV.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace minimind {

enum class Align { left, right };

struct Column {
    std::string heading;
    Align align = Align::left;
};

class Table {
  public:
    explicit Table(std::vector<Column> columns);

    /// Precondition: one cell for each column. Throws std::logic_error otherwise.
    void add_row(std::vector<std::string> cells);

    /// Columns two spaces apart, aligned by terminal cells, under their headings; no spaces at the end of a line.
    std::string text() const;
    /// A GitHub-flavoured table. | and newlines in a cell are escaped.
    std::string markdown() const;
    /// RFC 4180, but with \n at the end of a line: cells with a comma, a quote or a newline are quoted.
    std::string csv() const;

  private:
    std::vector<std::size_t> widths() const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// The shortest decimal text that reads back as the same float: "0.1", "1e-06", "nan", "inf", "-inf".
std::string float_text(float value);

}  // namespace minimind
