// The text of a paragraph, heading or table cell as it is shown: marks for what colour cannot show, and the address of
// a link where it helps.
#pragma once

#include <string>
#include <vector>

#include "lessons/line_breaking.hpp"
#include "lessons/markdown.hpp"
#include "lessons/rendered.hpp"

namespace minimind {

/// The spans of the block for broken_lines. A line break in the Markdown becomes a space, between Chinese characters
/// nothing.
std::vector<Run> runs_of(const MarkdownBlock& block, const Rendering& rendering);

/// What a reader at a terminal can do with the address of a link: "https://..." as it is; another lesson's file is
/// "minimind lessons 10"; a file of the project is named from the project's folder ("docs/hooks.md"). "" where `text`,
/// which the link shows, says that already, and for a place in the same file.
std::string shown_address(const std::string& address, const std::string& text, const std::string& folder);

/// "src/model/block.cpp" for "../../src/model/block.cpp" in "lessons/en"; without a "#part" at its end.
std::string project_path(const std::string& address, const std::string& folder);

}  // namespace minimind
