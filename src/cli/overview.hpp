// What `minimind` alone prints: what is here, how far the learner is, what to do next.
#pragma once

#include "console/console_flags.hpp"

namespace minimind {

void print_overview(const ConsoleFlags& console, bool is_json);

}  // namespace minimind
