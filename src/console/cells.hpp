// How much room text takes on a terminal. Latin letters take one cell, Chinese characters and most emoji two, combining
// marks none; so text is padded and cut by cells, never by bytes or characters.
//
// Text is UTF-8. A byte that is not part of valid UTF-8 takes one cell. Control characters take none, and neither do
// escape sequences that set a colour. The widths are those of the Unicode tables (UAX #11) in utf8proc; wcwidth() would
// do the same, but only in a UTF-8 locale.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace minimind {

/// Cells that the text takes, in one line.
std::size_t display_width(std::string_view text);

/// Spaces added on the right or the left until the text takes `cells`. Longer text stays as it is.
std::string pad_right(std::string_view text, std::size_t cells);
std::string pad_left(std::string_view text, std::size_t cells);

/// The text if it fits in `cells`, else its start and "…". Never cuts a character in two.
std::string truncated(std::string_view text, std::size_t cells);

/// Lines of at most `cells`, broken at spaces and beside Chinese characters, but not before "，" or after "（"; where
/// there is no such place, between any two characters.
/// Newlines in the text end a line, too.
std::vector<std::string> wrap(std::string_view text, std::size_t cells);

/// The text with control characters and invalid UTF-8 shown as \n, \t or \x1b, so that a name from a hostile file
/// cannot steer the terminal.
std::string visible(std::string_view text);

}  // namespace minimind
