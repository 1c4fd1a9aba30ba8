// `minimind labs`: the labs, by lesson.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "console/arguments.hpp"
#include "console/console_flags.hpp"
#include "console/table.hpp"
#include "labs.hpp"

namespace minimind {

int labs_command(const std::vector<std::string>& words) {
    ConsoleFlags console;
    Arguments args("labs", "The labs of the course, by lesson.");
    console.add(args);
    if (!args.parse(words)) return 0;

    const Language language = console.language();
    Table table({{text(language, "lesson", "课"), Align::right},
                 {text(language, "lab", "实验")},
                 {text(language, "what it shows", "内容")}});
    for (const Lab& lab : labs()) {
        table.add_row({std::to_string(lab.lesson), lab.command.name,
                       text(language, lab.command.summary, lab.command.summary_zh)});
    }
    fmt::print("{}\n{}\n", table.text(),
               text(language, "Run one with `minimind NAME`; `minimind NAME --help` lists its flags.",
                    "用 `minimind 名称` 运行；`minimind 名称 --help` 列出它的参数。"));
    return 0;
}

}  // namespace minimind
