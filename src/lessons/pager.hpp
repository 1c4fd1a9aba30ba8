// A long text on a terminal, page by page, as `man` and `git` do it.
#pragma once

#include <string>

namespace minimind {

/// Prints the text. If it is to a terminal and the text has more lines than that, it goes through the pager: the
/// command in PAGER, else `less -FRX`. An empty PAGER, TERM=dumb, and a pager that cannot be started mean that it is
/// printed as it is; leaving a pager before the end is no error.
void print_paged(const std::string& text);

/// The same without asking what stdout is. False, and nothing is printed, if the pager could not be started.
bool page(const std::string& text, const std::string& pager);

}  // namespace minimind
