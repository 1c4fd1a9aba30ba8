// Where a learner is in the course, and what to do next.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "console/language.hpp"
#include "lessons/lesson.hpp"
#include "lessons/progress.hpp"

namespace minimind {

struct LessonState {
    int number = 0;
    std::string title;
    Language language = Language::en;  // of the file
    std::size_t items = 0;             // of its worksheet
    std::size_t right = 0;             // of these, right in one of the two rounds
    std::size_t mastered = 0;          // of these, mastered in the transfer round
};

/// Every lesson, by number.
std::vector<LessonState> course_state(const std::vector<Lesson>& lessons, const Progress& progress);
/// The same for the lessons of this program.
std::vector<LessonState> course_state(Language language, const Progress& progress);

/// "3 of 15 right", "all 15 right, 4 mastered", "mastered"; "-" for a lesson without a worksheet.
std::string state_text(const LessonState& lesson, Language language);

/// Why the numbers begin at 8 and have a gap.
std::string numbers_text(Language language);

struct NextStep {
    int lesson = 0;
    std::string command;  // "minimind lessons 9 --check"
    Words why;
};

/// The first lesson whose worksheet is not all right; after those the first that is not mastered. A lesson of 0: there
/// is nothing left.
NextStep next_step(const std::vector<LessonState>& course);

nlohmann::ordered_json course_json(const std::vector<LessonState>& course);

}  // namespace minimind
