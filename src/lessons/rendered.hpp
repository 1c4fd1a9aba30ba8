// Markdown for the terminal: headings underlined, paragraphs and table cells wrapped by cells, code as it is, and in
// place of some links the thing itself:
//
//   [rms_norm in src/model/rms_norm.cpp](../../src/model/rms_norm.cpp "show: rms_norm")     the function's source
//   [input_layernorm](../../docs/hooks.md "stage: input_layernorm")                         formula and line of PyTorch
//
// where such a link is a paragraph of its own. Colour only if `paint` is on; without it inline code is in backticks,
// emphasis between _, strong text between *.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "console/language.hpp"
#include "console/terminal.hpp"

namespace minimind {

/// How and for whom a text is rendered.
struct Rendering {
    std::size_t width = 80;  // cells of a line
    Paint paint{false};
    Language language = Language::en;   // of the text
    std::string folder = "lessons/en";  // of the file, in the project: addresses of links begin there
};

/// Prose is wrapped at this width where the terminal is wider: longer lines are hard to read. Tables and code may use
/// all of it.
inline constexpr std::size_t widest_prose = 100;

/// The text, ending in a newline. Throws Error for a link that should show a function or a stage that there is not.
std::string rendered_markdown(std::string_view markdown, const Rendering& rendering);

}  // namespace minimind
