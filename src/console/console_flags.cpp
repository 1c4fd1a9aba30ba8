#include "console/console_flags.hpp"

namespace minimind {

void ConsoleFlags::add(Arguments& args) {
    args.choice("--color", color_, {"auto", "always", "never"},
                "colour: auto is on a terminal, unless NO_COLOR is set");
    args.choice("--lang", language_, {"en", "zh"}, "language of prose (default: MINIMIND_LANG, then the locale)");
}

}  // namespace minimind
