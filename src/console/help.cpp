// What --help prints: the part of arguments.hpp that writes.
//
//   usage: minimind step [flags] FILE
//
//   Walk through one block, stage by stage.
//
//   flags:
//     --layer N   the block to walk through (default: 0)
#include <fmt/format.h>

#include <algorithm>

#include "console/arguments.hpp"
#include "console/called_as.hpp"
#include "console/cells.hpp"

namespace minimind {

namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t widest_name = 26;  // a longer one has its help on the next line

/// "--layer N"
std::string spelling(const Flag& flag) {
    if (flag.is_positional() || flag.value_name().empty()) return flag.name();
    return flag.name() + " " + flag.value_name();
}

std::string description(const Flag& flag) {
    if (flag.shown_default().empty()) return flag.help();
    return fmt::format("{} (default: {})", flag.help(), flag.shown_default());
}

/// A flag with its help beside it, and the further lines of the help under its first.
std::string entry(const Flag& flag, std::size_t name_cells, std::size_t width) {
    const std::string name = std::string(indent, ' ') + spelling(flag);
    const std::size_t column = indent + name_cells + 2;
    std::string result = name;
    std::size_t at = display_width(name);
    if (at + 2 > column) {
        result += "\n";
        at = 0;
    }
    for (const std::string& line : wrap(description(flag), width - column)) {
        if (at > column) {
            result += "\n";
            at = 0;
        }
        result += std::string(column - at, ' ') + line;
        at = column + 1;
    }
    return result + "\n";
}

/// The flags of one group under its heading.
std::string section(const std::string& heading, const std::vector<const Flag*>& flags, std::size_t width) {
    if (flags.empty()) return "";
    std::size_t name_cells = 0;
    for (const Flag* flag : flags) {
        const std::size_t cells = display_width(spelling(*flag));
        if (cells <= widest_name) name_cells = std::max(name_cells, cells);
    }
    std::string result = "\n" + heading + ":\n";
    for (const Flag* flag : flags) result += entry(*flag, name_cells, width);
    return result;
}

std::string joined(const std::vector<std::string>& lines, std::size_t spaces) {
    std::string result;
    for (const std::string& line : lines) result += std::string(spaces, ' ') + line + "\n";
    return result;
}

}  // namespace

std::string Arguments::help_text(std::size_t width) const {
    std::string usage = "usage: " + as_called("minimind");
    if (!command_.empty()) usage += " " + command_;
    std::vector<std::string> headings;
    std::vector<const Flag*> positionals;
    for (const Flag& flag : flags_) {
        if (flag.is_positional()) positionals.push_back(&flag);
        const bool is_new = std::find(headings.begin(), headings.end(), flag.group()) == headings.end();
        if (!flag.is_positional() && is_new) headings.push_back(flag.group());
    }
    usage += " [flags]";
    for (const Flag* flag : positionals) usage += flag->is_required() ? " " + flag->name() : " [" + flag->name() + "]";

    std::string result = usage + "\n\n" + joined(wrap(description_, width), 0);
    result += section("arguments", positionals, width);
    // The flags without a group come last: --help is the first of them.
    std::rotate(headings.begin(), headings.begin() + 1, headings.end());
    for (const std::string& heading : headings) {
        std::vector<const Flag*> flags;
        for (const Flag& flag : flags_) {
            if (!flag.is_positional() && flag.group() == heading) flags.push_back(&flag);
        }
        // --help, which every command declares first, is shown last.
        if (heading.empty()) std::rotate(flags.begin(), flags.begin() + 1, flags.end());
        const std::string fallback = headings.size() > 1 ? "other flags" : "flags";
        result += section(heading.empty() ? fallback : heading, flags, width);
    }
    if (!examples_.empty()) result += "\nexamples:\n";
    for (const Example& example : examples_) {
        result += joined({as_called(example.command_line)}, indent);
        result += joined(wrap(example.what_it_shows, width - 3 * indent), 3 * indent);
    }
    return result;
}

}  // namespace minimind
