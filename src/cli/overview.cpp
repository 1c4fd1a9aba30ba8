#include "cli/overview.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/version.hpp"
#include "console/called_as.hpp"
#include "console/errors.hpp"
#include "console/table.hpp"
#include "labs.hpp"
#include "lessons/course.hpp"

namespace minimind {

namespace {

using Json = nlohmann::ordered_json;

/// "lessons done 2 of 11, items right 31 of 88, mastered 15"
struct Totals {
    std::size_t lessons = 0;
    std::size_t done = 0;  // lessons whose worksheet is all right
    std::size_t items = 0;
    std::size_t right = 0;
    std::size_t mastered = 0;
};

Totals totals_of(const std::vector<LessonState>& course) {
    Totals totals;
    for (const LessonState& lesson : course) {
        if (lesson.items == 0) continue;
        totals.lessons += 1;
        totals.done += lesson.right == lesson.items ? 1 : 0;
        totals.items += lesson.items;
        totals.right += lesson.right;
        totals.mastered += lesson.mastered;
    }
    return totals;
}

std::string where_text(const Totals& totals, Language language) {
    if (totals.right + totals.mastered == 0) {
        return text(language, "You have not begun yet: every lesson ends with a worksheet.",
                    "还没有开始：每课末尾有一份练习。");
    }
    return fmt::format(
        fmt::runtime(text(language, "You are here: {} of {} lessons done, {} of {} questions right, {} mastered.",
                          "当前进度：完成 {}/{} 课，答对 {}/{} 题，掌握 {} 题。")),
        totals.done, totals.lessons, totals.right, totals.items, totals.mastered);
}

std::string lesson_table(const std::vector<LessonState>& course, Language language) {
    Table table({{text(language, "lesson", "课"), Align::right},
                 {text(language, "title", "标题")},
                 {text(language, "worksheet", "练习")}});
    for (const LessonState& lesson : course) {
        table.add_row({std::to_string(lesson.number), lesson.title, state_text(lesson, language)});
    }
    return table.text() + numbers_text(language) + "\n";
}

std::string command_table(Language language) {
    Table table({{text(language, "command", "命令")}, {text(language, "what it does", "作用")}});
    for (const Command& command : commands()) {
        table.add_row({"minimind " + command.name, text(language, command.summary, command.summary_zh)});
    }
    return table.text();
}

/// What to do next, each command on a line of its own.
std::string next_lines(const NextStep& step, Language language) {
    std::string lines = step.why.in(language) + "\n  " + step.command + "\n";
    if (step.lesson > 0 && step.command == fmt::format("minimind lessons {}", step.lesson)) {
        lines += text(language, "Then fill in its worksheet\n", "读完做练习\n") + "  " + step.command + " --check\n";
    }
    return lines;
}

Json overview_json(const std::vector<LessonState>& course, Language language) {
    const Totals totals = totals_of(course);
    Json json = {{"version", program_version}};
    json.update(course_json(course));
    json["totals"] = {{"lessons", totals.lessons},
                      {"done", totals.done},
                      {"items", totals.items},
                      {"right", totals.right},
                      {"mastered", totals.mastered}};
    json["commands"] = Json::array();
    for (const Command& command : commands()) {
        json["commands"].push_back(
            {{"name", command.name}, {"summary", text(language, command.summary, command.summary_zh)}});
    }
    json["labs"] = Json::array();
    for (const Lab& lab : labs()) {
        json["labs"].push_back({{"name", lab.command.name},
                                {"lesson", lab.lesson},
                                {"summary", text(language, lab.command.summary, lab.command.summary_zh)}});
    }
    return json;
}

}  // namespace

void print_overview(const ConsoleFlags& console, bool is_json) {
    const Language language = console.language();
    std::vector<Words> notes;
    const Progress progress = ProgressStore::of_user().load(notes);
    const std::vector<LessonState> course = course_state(language, progress);
    if (is_json) {
        fmt::print("{}\n", overview_json(course, language).dump(2));
    } else {
        fmt::print(
            "{}\n\n{}\n{}\n{}\n{}\n{}",
            text(language, "MiniMind in C++: the textbook that runs.", "C++ 版 MiniMind：会运行的教科书。"),
            lesson_table(course, language), where_text(totals_of(course), language),
            as_called(next_lines(next_step(course), language)), as_called(command_table(language)),
            as_called(text(language,
                           "`minimind labs` lists the labs of the lessons; `minimind trace_block_shapes` is one.\n"
                           "`minimind NAME --help` lists the flags of a command or lab, with examples.\n",
                           "`minimind labs` 按课列出实验，例如 `minimind trace_block_shapes`。\n"
                           "`minimind 名称 --help` 列出命令或实验的参数和例子。\n")));
    }
    for (const Words& note : notes) print_note(note.in(language), console.color());
}

}  // namespace minimind
