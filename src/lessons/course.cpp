#include "lessons/course.hpp"

#include <fmt/format.h>

#include <tuple>

namespace minimind {

std::vector<LessonState> course_state(const std::vector<Lesson>& lessons, const Progress& progress) {
    std::vector<LessonState> course;
    for (const Lesson& lesson : lessons) {
        LessonState state;
        state.number = lesson.number;
        state.title = lesson.title;
        state.language = lesson.language;
        state.items = lesson.worksheet.size();
        for (const std::string& id : lesson.worksheet) {
            const RoundProgress first = progress.of(lesson.number, id, Round::first);
            const RoundProgress transfer = progress.of(lesson.number, id, Round::transfer);
            state.right += first.right || transfer.right ? 1 : 0;
            state.mastered += transfer.mastered ? 1 : 0;
        }
        course.push_back(state);
    }
    return course;
}

std::vector<LessonState> course_state(Language language, const Progress& progress) {
    std::vector<Lesson> lessons;
    for (const LessonFile& file : lesson_files(language)) lessons.push_back(read_lesson(file));
    return course_state(lessons, progress);
}

std::string state_text(const LessonState& lesson, Language language) {
    const auto [items, right, mastered] = std::tuple(lesson.items, lesson.right, lesson.mastered);
    if (items == 0) return "-";
    if (mastered == items) return text(language, "mastered", "已掌握");
    std::string state =
        fmt::format(fmt::runtime(text(language, "{1} of {0} right", "{0} 题答对 {1} 题")), items, right);
    if (right == items) state = fmt::format(fmt::runtime(text(language, "all {} right", "{} 题全部答对")), items);
    if (right == 0) state = fmt::format(fmt::runtime(text(language, "{} questions", "{} 题，还没开始")), items);
    if (mastered > 0) state += fmt::format(fmt::runtime(text(language, ", {} mastered", "，掌握 {} 题")), mastered);
    return state;
}

std::string numbers_text(Language language) {
    return text(language, "Lessons 8 to 13 have the numbers of MiniMind's course; 21 to 25 are added to it.",
                "第 8 到 13 课沿用 MiniMind 课程的编号，第 21 到 25 课是补充。");
}

NextStep next_step(const std::vector<LessonState>& course) {
    for (const LessonState& lesson : course) {
        const std::string command = fmt::format("minimind lessons {}", lesson.number);
        if (lesson.right == lesson.items) continue;
        if (lesson.right == 0) {
            return {lesson.number,
                    command,
                    {fmt::format("Next: read lesson {}, {}", lesson.number, lesson.title),
                     fmt::format("下一步：读第 {} 课《{}》", lesson.number, lesson.title)}};
        }
        return {lesson.number,
                command + " --check",
                {fmt::format("Next: the rest of lesson {}'s worksheet", lesson.number),
                 fmt::format("下一步：做完第 {} 课的练习", lesson.number)}};
    }
    for (const LessonState& lesson : course) {
        if (lesson.mastered == lesson.items) continue;
        return {lesson.number,
                fmt::format("minimind lessons {} --check --transfer", lesson.number),
                {fmt::format("Next: lesson {}'s worksheet at other sizes, to master it", lesson.number),
                 fmt::format("下一步：换一组尺寸再做第 {} 课的练习，才算掌握", lesson.number)}};
    }
    return {0, "minimind labs", {"Every worksheet is mastered; there are more labs", "所有练习都已掌握；还有更多实验"}};
}

nlohmann::ordered_json course_json(const std::vector<LessonState>& course) {
    nlohmann::ordered_json lessons = nlohmann::ordered_json::array();
    for (const LessonState& lesson : course) {
        lessons.push_back({{"number", lesson.number},
                           {"title", lesson.title},
                           {"language", language_code(lesson.language)},
                           {"items", lesson.items},
                           {"right", lesson.right},
                           {"mastered", lesson.mastered}});
    }
    const NextStep step = next_step(course);
    return {{"lessons", lessons},
            {"next",
             {{"lesson", step.lesson > 0 ? nlohmann::ordered_json(step.lesson) : nullptr}, {"command", step.command}}}};
}

}  // namespace minimind
