// A table of Markdown for the terminal: columns two spaces apart, aligned by cells, the head underlined. Where it is
// wider than the terminal the widest columns become narrower and their cells are wrapped.
#pragma once

#include <string>
#include <vector>

#include "lessons/markdown.hpp"
#include "lessons/rendered.hpp"

namespace minimind {

std::vector<std::string> table_lines(const MarkdownBlock& table, const Rendering& rendering);

/// The widths that columns get which want `wanted` cells where there are `room` in all. All get what they want if that
/// fits. Else the widest give way first, but none below `least` (its longest word) as long as the words fit; and every
/// column keeps at least one cell.
std::vector<std::size_t> column_widths(const std::vector<std::size_t>& wanted, const std::vector<std::size_t>& least,
                                       std::size_t room);

}  // namespace minimind
