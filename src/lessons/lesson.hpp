// The lessons: one Markdown file a lesson and language, lessons/en/09_embedding_rmsnorm_block.md beside the same in
// lessons/zh. The digits are the lesson's number, the first line is its title ("# Lesson 9: ..."), and the headings
// below carry ids, which are the same in every language:
//
//   ## The one question {#question}
//
// A lesson that is missing in one language is read in the other.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "console/data_files.hpp"
#include "console/language.hpp"
#include "core/error.hpp"
#include "lessons/rendered.hpp"

namespace minimind {

/// A heading with an id, and all that follows up to the next heading of its level or above.
struct LessonSection {
    std::string id;       // "question"
    std::string heading;  // "The one question"
    int level = 2;        // 2 for ##, 3 for ###
    std::string markdown;
};

struct Lesson {
    int number = 0;
    std::string title;  // "Embedding, RMSNorm, and the residual block", without "Lesson 9: "
    Language language = Language::en;
    std::filesystem::path file;
    std::string markdown;  // the whole file
    std::vector<LessonSection> sections;
    std::vector<std::string> worksheet;  // the ids of the items listed in the section `worksheet`
};

/// A lesson's file in one language, or in the other where it is missing there.
struct LessonFile {
    int number = 0;
    Language language = Language::en;
    std::filesystem::path path;
};

/// All lessons, by number. `directory` has the folders en and zh.
std::vector<LessonFile> lesson_files(Language language, const std::filesystem::path& directory = data_file("lessons"));

Lesson read_lesson(const LessonFile& file);
/// Throws no_such_lesson for a number that there is not.
Lesson read_lesson(int number, Language language, const std::filesystem::path& directory = data_file("lessons"));

/// The error that lists the lessons that there are. `wanted` is what was asked for in their place.
Error no_such_lesson(const std::string& wanted, Language language,
                     const std::filesystem::path& directory = data_file("lessons"));

/// Throws Error, with the ids that there are, for another id.
const LessonSection& section_of(const Lesson& lesson, const std::string& id);

/// For the terminal: the whole lesson, and one section with its heading. Language and folder of the rendering are set
/// to the lesson's own.
std::string rendered_lesson(const Lesson& lesson, Rendering rendering);
std::string rendered_section(const Lesson& lesson, const std::string& id, Rendering rendering);

}  // namespace minimind
