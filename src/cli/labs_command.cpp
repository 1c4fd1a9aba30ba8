// `minimind labs`: the labs, by lesson.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/commands.hpp"
#include "console/arguments.hpp"
#include "console/called_as.hpp"
#include "console/cells.hpp"
#include "console/console_flags.hpp"
#include "console/terminal.hpp"
#include "labs.hpp"
#include "lessons/lesson.hpp"
#include "report/json_layout.hpp"

namespace minimind {

namespace {

std::string summary_of(const Lab& lab, Language language) {
    return text(language, lab.command.summary, lab.command.summary_zh);
}

nlohmann::ordered_json labs_json(Language language) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Lab& lab : labs()) {
        list.push_back({{"lesson", lab.lesson}, {"name", lab.command.name}, {"summary", summary_of(lab, language)}});
    }
    return list;
}

/// The lessons of labs that are not among those of this program.
std::set<int> missing_lessons(Language language) {
    std::set<int> missing;
    for (const Lab& lab : labs()) missing.insert(lab.lesson);
    for (const LessonFile& file : lesson_files(language)) missing.erase(file.number);
    return missing;
}

/// Lesson, name and summary; on a terminal the summary is wrapped in its column.
void print_list(Language language) {
    std::size_t name_width = 0;
    for (const Lab& lab : labs()) name_width = std::max(name_width, lab.command.name.size());
    const std::string lesson_heading = text(language, "lesson", "课");
    const std::size_t lesson_width = display_width(lesson_heading);
    const std::size_t summary_column = lesson_width + name_width + 4;
    const std::size_t width = is_terminal(Stream::out) ? terminal_width() : 1000;
    const std::size_t room = std::max(width, summary_column + 20) - summary_column;

    const auto print_row = [&](const std::string& lesson, const std::string& name, const std::string& summary) {
        std::string before = pad_left(lesson, lesson_width) + "  " + pad_right(name, name_width) + "  ";
        for (const std::string& line : wrap(summary, room)) {
            fmt::print("{}{}\n", before, line);
            before.assign(summary_column, ' ');
        }
    };
    print_row(lesson_heading, text(language, "lab", "实验"), text(language, "what it shows", "内容"));
    for (const Lab& lab : labs()) {
        print_row(std::to_string(lab.lesson), lab.command.name, summary_of(lab, language));
    }
}

void print_what_next(Language language) {
    const std::set<int> missing = missing_lessons(language);
    const Words not_here = {missing.empty() ? "" : fmt::format(" (not here: {})", fmt::join(missing, ", ")),
                            missing.empty() ? "" : fmt::format("（这里没有第 {} 课）", fmt::join(missing, "、"))};
    fmt::print(
        "\n{}\n",
        as_called(text(language, "Run one: `minimind NAME`; --help lists its flags, --explain explains its lines.",
                       "运行：`minimind 名称`；--help 列出它的参数，--explain 说明每一节该看什么。")));
    fmt::print("{}\n",
               as_called(text(language, "Its lesson: `minimind lessons N`, N from the first column" + not_here.en + ".",
                              "对应的课：`minimind lessons 编号`，编号见第一列" + not_here.zh + "。")));
    fmt::print("{}\n", as_called(text(language, "Where to begin, and how far you are: `minimind lessons`.",
                                      "从哪里开始、学到了哪里：`minimind lessons`。")));
}

}  // namespace

int labs_command(const std::vector<std::string>& words) {
    std::string format = "text";
    ConsoleFlags console;
    Arguments args("labs", "The labs of the course, by lesson.");
    args.choice("--format", format, {"text", "json"}, "json: [{lesson, name, summary}, ...]");
    console.add(args);
    args.example("minimind labs", "all labs");
    args.example("minimind labs --format json --lang zh", "the same for a program, with Chinese summaries");
    if (!args.parse(words)) return 0;

    if (format == "json") {
        fmt::print("{}\n", laid_out(labs_json(console.language())));
    } else {
        print_list(console.language());
        print_what_next(console.language());
    }
    return 0;
}

}  // namespace minimind
