// Code for the terminal: fenced blocks, functions from the source, stages from the hook table.
#pragma once

#include <string>
#include <vector>

#include "lessons/markdown.hpp"
#include "lessons/rendered.hpp"

namespace minimind {

/// A code block, four cells in, or less where its lines are long. A line that is wider than the terminal goes on in the
/// next, behind ↳. In a block with the info string `console` commands stand out; in C++, Python and shell, comments.
std::vector<std::string> code_lines(const MarkdownBlock& code, const Rendering& rendering);

/// What stands in place of a paragraph: the source of a function or the formula of a stage if the paragraph is a link
/// titled "show: ..." or "stage: ..." and nothing else; no lines if it is not. Throws Error for an unknown name.
std::vector<std::string> shown_lines(const MarkdownBlock& paragraph, const Rendering& rendering);

}  // namespace minimind
