// Text in several looks, broken into lines of a terminal as console/cells.hpp does it: English at spaces, Chinese
// beside any character, but so that no line begins with "，" or ends with "（".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "console/terminal.hpp"

namespace minimind {

struct Look {
    bool is_strong = false;
    bool is_emphasis = false;
    bool is_code = false;
    bool is_link = false;
    bool is_faint = false;

    friend bool operator==(const Look&, const Look&) = default;
};

/// Text of one look. A newline in it ends a line.
struct Run {
    std::string text;
    Look look;
};

/// The text in colour; without colour as it is.
std::string painted(std::string_view text, const Look& look, const Paint& paint);

/// Lines of at most `cells`; only a word that is longer is broken in two. Every line sets its own colours, so that a
/// pager may begin anywhere.
std::vector<std::string> broken_lines(const std::vector<Run>& runs, std::size_t cells, const Paint& paint);

/// Cells of the longest line, if lines were as long as the text wants.
std::size_t unbroken_width(const std::vector<Run>& runs);
/// Cells of the longest piece that has no place to break: a word of English, with the Chinese punctuation behind it.
std::size_t longest_piece(const std::vector<Run>& runs);

/// Characters that take two cells: Chinese ones and their punctuation.
bool is_wide(std::string_view character);
bool is_wide_punctuation(std::string_view character);

}  // namespace minimind
