// Numbers as text, the same in every language and locale.
#pragma once

#include <cstdint>
#include <string>

namespace minimind {

/// 63,912,192
std::string with_commas(std::int64_t number);

/// 63.912M: millions with three decimals, as the course prints them.
std::string in_millions(std::int64_t number);

/// True or False, as Python prints them.
std::string python_bool(bool value);

}  // namespace minimind
