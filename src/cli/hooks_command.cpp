// `minimind hooks`: the reference of all hook points.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "console/arguments.hpp"
#include "console/console_flags.hpp"
#include "report/hook_reference.hpp"

namespace minimind {

int hooks_command(const std::vector<std::string>& words) {
    std::vector<std::string> filters;
    std::string name;
    std::string format = "text";
    ConsoleFlags console;
    Arguments args("hooks", "Every stage of a forward pass that can be looked at, in order of time.");
    args.positional("NAME", name, "only the stages of that name or glob").optional();
    args.repeated("--filter", filters, "the same, and may be given several times");
    args.choice("--format", format, {"text", "json", "markdown"}, "markdown is docs/hooks.md");
    console.add(args);
    args.example("minimind hooks q_rope", "formula, line of PyTorch and source of one stage");
    args.example("minimind hooks '*.mlp.*'", "the stages of the MLP");
    if (!args.parse(words)) return 0;

    if (!name.empty()) filters.push_back(name);
    const std::vector<Point> points = points_named(filters);
    if (format == "text") fmt::print("{}", hook_reference_text(points, console.paint()));
    if (format == "json") fmt::print("{}\n", hook_reference_json(points).dump(2));
    if (format == "markdown") fmt::print("{}", hook_reference_markdown());
    return 0;
}

}  // namespace minimind
