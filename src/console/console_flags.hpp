// The flags that every command has: --color and --lang.
#pragma once

#include <string>

#include "console/arguments.hpp"
#include "console/language.hpp"
#include "console/terminal.hpp"

namespace minimind {

class ConsoleFlags {
  public:
    ConsoleFlags() = default;
    ConsoleFlags(const ConsoleFlags&) = delete;  // the flags are bound to this object
    ConsoleFlags& operator=(const ConsoleFlags&) = delete;

    void add(Arguments& args);

    ColorMode color() const { return color_mode(color_); }
    Paint paint() const { return Paint(use_color(color(), Stream::out)); }
    Language language() const { return choose_language(language_); }

  private:
    std::string color_ = "auto";
    std::string language_;
};

}  // namespace minimind
