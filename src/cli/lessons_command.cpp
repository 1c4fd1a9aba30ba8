// `minimind lessons`: lists the lessons, reads one, and has its worksheet filled in.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "console/arguments.hpp"
#include "console/called_as.hpp"
#include "console/console_flags.hpp"
#include "console/errors.hpp"
#include "console/table.hpp"
#include "core/error.hpp"
#include "lessons/check.hpp"
#include "lessons/course.hpp"
#include "lessons/lesson.hpp"
#include "lessons/pager.hpp"

namespace minimind {

namespace {

using Json = nlohmann::ordered_json;

void list_lessons(const ConsoleFlags& console, const std::string& format) {
    const Language language = console.language();
    std::vector<Words> notes;
    const Progress progress = ProgressStore::of_user().load(notes);
    for (const Words& note : notes) print_note(note.in(language), console.color());
    const std::vector<LessonState> course = course_state(language, progress);
    if (format == "json") return fmt::print("{}\n", course_json(course).dump(2));

    Table table({{text(language, "lesson", "课"), Align::right},
                 {text(language, "title", "标题")},
                 {text(language, "worksheet", "练习")}});
    for (const LessonState& lesson : course) {
        table.add_row({std::to_string(lesson.number), lesson.title, state_text(lesson, language)});
    }
    if (format == "markdown") return fmt::print("{}", table.markdown());
    const NextStep step = next_step(course);
    fmt::print("{}{}\n\n{}\n", table.text(), numbers_text(language),
               as_called(step.why.in(language) + "\n  " + step.command));
    fmt::print("{}\n", as_called(text(language,
                                      "`minimind lessons N` shows a lesson,\n"
                                      "`minimind lessons N --check` fills in its worksheet.",
                                      "`minimind lessons 编号` 阅读一课，\n"
                                      "`minimind lessons 编号 --check` 做它的练习。")));
}

Json section_json(const LessonSection& section) {
    return {{"id", section.id}, {"heading", section.heading}, {"level", section.level}};
}

Json lesson_json(const Lesson& lesson) {
    Json sections = Json::array();
    for (const LessonSection& section : lesson.sections) sections.push_back(section_json(section));
    return {{"number", lesson.number},
            {"title", lesson.title},
            {"language", language_code(lesson.language)},
            {"sections", sections},
            {"worksheet", lesson.worksheet}};
}

/// The whole lesson, or the section if there is one.
void print_lesson(const Lesson& lesson, const LessonSection* section, const std::string& format,
                  const ConsoleFlags& console) {
    if (format == "markdown") return fmt::print("{}", section == nullptr ? lesson.markdown : section->markdown);
    if (format == "json") {
        Json json = section == nullptr ? lesson_json(lesson) : section_json(*section);
        if (section != nullptr) json["markdown"] = section->markdown;
        return fmt::print("{}\n", json.dump(2));
    }
    Rendering rendering;
    rendering.width = terminal_width();
    rendering.paint = console.paint();
    rendering.language = console.language();
    print_paged(section == nullptr ? rendered_lesson(lesson, rendering)
                                   : rendered_section(lesson, section->id, rendering));
}

/// 9 for "9" and "09". Throws Error, which lists the lessons, for what is no number.
int lesson_number(const std::string& word, Language language) {
    const bool has_zero = word.size() == 2 && word[0] == '0';
    try {
        return static_cast<int>(read_integer(has_zero ? word.substr(1) : word, {0, 999}));
    } catch (const Error&) {
        throw no_such_lesson(word, language);
    }
}

}  // namespace

int lessons_command(const std::vector<std::string>& words) {
    std::string number;
    std::string section;
    std::string format = "text";
    ConsoleFlags console;
    CheckFlags check;
    Arguments args("lessons", "The lessons: list them, read one, fill in its worksheet.");
    args.positional("N", number, "the lesson; without it all are listed").optional();
    args.group("reading");
    args.text("--section", section, "only this section: question, principle, code, worksheet, ...").value_name("ID");
    args.choice("--format", format, {"text", "markdown", "json"}, "markdown: the lesson as it is written");
    args.example("minimind lessons", "all lessons, and what to do next");
    args.example("minimind lessons 9", "read lesson 9, page by page on a terminal");
    args.example("minimind lessons 9 --section code --lang zh", "one section, in Chinese");
    check.add(args);
    console.add(args);
    if (!args.parse(words)) return 0;

    std::optional<int> lesson;
    if (!number.empty()) lesson = lesson_number(number, console.language());
    if (check.is_given()) return check.run(lesson, console, format == "json", words);
    if (!lesson) {
        if (args.given("--section")) throw Error("--section needs the number of a lesson").at("--section " + section);
        list_lessons(console, format);
        return 0;
    }
    const Lesson text = read_lesson(*lesson, console.language());
    print_lesson(text, args.given("--section") ? &section_of(text, section) : nullptr, format, console);
    return 0;
}

}  // namespace minimind
