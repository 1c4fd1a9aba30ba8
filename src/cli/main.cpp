// The program: finds the command or lab that was named and runs it.
#include <fmt/format.h>

#include <vector>

#include "cli/commands.hpp"
#include "cli/overview.hpp"
#include "cli/version.hpp"
#include "console/arguments.hpp"
#include "console/console_flags.hpp"
#include "console/errors.hpp"
#include "core/freed_memory.hpp"
#include "labs.hpp"

namespace minimind {

namespace {

std::vector<const Command*> all_commands() {
    std::vector<const Command*> all;
    for (const Command& command : commands()) all.push_back(&command);
    for (const Lab& lab : labs()) all.push_back(&lab.command);
    return all;
}

/// Courses' spelling and the hyphenated one mean the same.
std::string with_underscores(std::string name) {
    for (char& c : name) c = c == '-' ? '_' : c;
    return name;
}

const Command& find_command(const std::string& name) {
    std::vector<std::string> names;
    for (const Command* command : all_commands()) {
        if (command->name == with_underscores(name)) return *command;
        names.push_back(command->name);
    }
    Error error("there is no command or lab called '" + name + "'");
    const std::string nearest = nearest_name(name, names);
    if (!nearest.empty()) error.help("did you mean " + nearest + "?");
    throw error.help("`minimind help` lists the commands, `minimind labs` the labs");
}

int run(const std::vector<std::string>& words) {
    if (words.empty() || words[0].rfind("-", 0) == 0) {
        ConsoleFlags console;
        bool version = false;
        Arguments args("", "MiniMind in C++: the textbook that runs.");
        std::string format = "text";
        args.flag("--version", version, "the version of this program");
        args.choice("--format", format, {"text", "json"}, "json: the lessons, your progress, commands and labs");
        console.add(args);
        args.example("minimind", "what is here, how far you are, what comes next");
        args.example("minimind trace_block_shapes --help", "the flags of a lab");
        if (!args.parse(words)) return 0;
        if (version) {
            fmt::print("minimind {}\n", program_version);
        } else {
            print_overview(console, format == "json");
        }
        return 0;
    }
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (words[0] == "help") return rest.empty() ? run({}) : find_command(rest[0]).run({"--help"});
    return find_command(words[0]).run(rest);
}

}  // namespace

}  // namespace minimind

int main(int argc, char** argv) {
    minimind::keep_freed_memory();
    minimind::install_signal_handlers();
    const std::vector<std::string> words = minimind::words_of(argc, argv, 1);
    return minimind::run_reporting([&] { return minimind::run(words); }, minimind::color_mode_of(words));
}
