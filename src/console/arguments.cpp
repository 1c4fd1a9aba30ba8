#include "console/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "console/flag_words.hpp"
#include "console/terminal.hpp"
#include "core/error.hpp"

namespace minimind {

namespace {

/// "--text ''" is shown as --text "", so that one sees that something is there.
std::string shown(const std::string& value) {
    const bool needs_quotes = value.empty() || value.find(' ') != std::string::npos;
    return needs_quotes ? "\"" + value + "\"" : value;
}

/// The values of each flag, in the order of `flags`. A switch that is on has one empty value.
///
/// The words are spelled out already. CLI11 would take "--flag=" as a flag whose value is the next word, let a list
/// swallow the positional after it, split "[1,2]" and accept "012", "nan" and "" as numbers; so it only sorts plain
/// words to options here, each of exactly one value, and the values are read by our own readers.
std::vector<std::vector<std::string>> values_of(const std::deque<Flag>& flags, std::vector<std::string> words) {
    CLI::App app;
    app.set_help_flag();
    std::vector<std::vector<std::string>> values(flags.size());
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const CLI::callback_t keep = [&values, i](const CLI::results_t& results) {
            values[i] = results;
            return true;
        };
        if (flags[i].takes_value()) {
            app.add_option(flags[i].name(), keep)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        } else {
            app.add_flag_callback(flags[i].name(), [&values, i] { values[i] = {""}; });
        }
    }
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        throw Error(error.what()).help("see --help");
    }
    return values;
}

void read_value(const Flag& flag, const std::string& value) {
    try {
        flag.read(value);
    } catch (Error& error) {
        if (error.where().empty()) error.at(fmt::format("{} {}", flag.name(), shown(value)));
        throw;
    }
}

}  // namespace

Arguments::Arguments(std::string command, std::string description)
    : command_(std::move(command)), description_(std::move(description)) {
    flag("--help", wants_help_, "show this help (also -h)");
}

Flag& Arguments::add(Flag flag) {
    const auto has_its_name = [&flag](const Flag& other) { return other.name() == flag.name(); };
    if (std::any_of(flags_.begin(), flags_.end(), has_its_name)) {
        throw std::logic_error(flag.name() + " is declared twice");
    }
    flag.group_ = group_;
    flags_.push_back(std::move(flag));
    return flags_.back();
}

void Arguments::group(std::string heading) {
    group_ = std::move(heading);
}

void Arguments::example(std::string command_line, std::string what_it_shows) {
    examples_.push_back({std::move(command_line), std::move(what_it_shows)});
}

bool Arguments::parse(const std::vector<std::string>& words) {
    if (!asks_for_help(words)) {
        const std::vector<std::vector<std::string>> values = values_of(flags_, spelled_out(*this, words));
        for (std::size_t i = 0; i < flags_.size(); ++i) {
            Flag& flag = flags_[i];
            flag.is_given_ = !values[i].empty();
            if (flag.kind() == Flag::Kind::repeated) {
                for (const std::string& value : values[i]) read_value(flag, value);
            } else if (flag.is_given_) {
                read_value(flag, values[i].back());
            }
        }
        if (!wants_help_) return true;
    }
    std::fputs(help_text(std::clamp<std::size_t>(terminal_width(), 60, 100)).c_str(), stdout);
    return false;
}

bool Arguments::given(const std::string& name) const {
    for (const Flag& flag : flags_) {
        if (flag.name() == name) return flag.is_given_;
    }
    throw std::logic_error(name + " is no flag of this command");
}

std::vector<std::string> words_of(int argc, const char* const* argv, int skipped) {
    std::vector<std::string> words;
    for (int i = skipped; i < argc; ++i) words.emplace_back(argv[i]);
    return words;
}

}  // namespace minimind
