// Text as Python prints it: the labs show repr() of strings, and a chat's tools are written by json.dumps().
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace minimind {

/// str.isprintable() of one code point: not a control, format, private, unassigned or surrogate code point, and no
/// separator other than the space.
bool is_printable(char32_t code_point);

/// repr(text): in single quotes, or in double quotes if it holds a single quote and no double one; \n, \r, \t, \\ and
/// the quote escaped; \xNN, \uNNNN or \UNNNNNNNN for what is not printable. Bytes that are not UTF-8 show as U+FFFD.
std::string python_repr(std::string_view text);

/// repr() of the text's first `limit` characters, with "..." after it if there are more: to quote input in an error.
std::string short_repr(std::string_view text, std::size_t limit = 60);

/// repr() of a float: the fewest digits that give the same double back, and always a point or an exponent.
std::string python_float(double value);

/// json.dumps(value, ensure_ascii=False): ", " and ": " between things, keys in their order, floats as repr().
/// Precondition: parsed with a limit on its depth, since this goes down one call a level.
std::string python_json(const nlohmann::ordered_json& value);

}  // namespace minimind
