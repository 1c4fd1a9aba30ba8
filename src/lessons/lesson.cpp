#include "lessons/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

namespace minimind {

namespace {

namespace fs = std::filesystem;

/// 9 for "09_embedding.md", -1 for a file that is no lesson.
int number_of(const fs::path& path) {
    const std::string name = path.filename().string();
    const bool has_number = name.size() > 3 && std::isdigit(static_cast<unsigned char>(name[0])) != 0 &&
                            std::isdigit(static_cast<unsigned char>(name[1])) != 0 && name[2] == '_';
    return has_number && path.extension() == ".md" ? (name[0] - '0') * 10 + (name[1] - '0') : -1;
}

std::map<int, fs::path> files_in(const fs::path& folder) {
    std::map<int, fs::path> files;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        if (const int number = number_of(entry.path()); number >= 0) files[number] = entry.path();
    }
    return files;
}

/// "Lesson 9: Embedding" -> "Embedding", also with the full-width colon.
std::string without_number(const std::string& title) {
    static constexpr std::string_view wide_colon = "：";
    const std::size_t narrow = title.find(": ");
    const std::size_t wide = title.find(wide_colon);
    if (narrow == std::string::npos && wide == std::string::npos) return title;
    return title.substr(narrow < wide ? narrow + 2 : wide + wide_colon.size());
}

/// A line "## Heading {#id}".
struct HeadingLine {
    int level = 0;  // 0: it is none
    std::string heading;
    std::string id;
};

HeadingLine heading_line(const std::string& line) {
    HeadingLine found;
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level > 6 || level == std::string::npos || line[level] != ' ') return found;
    found.level = static_cast<int>(level);
    found.heading = line.substr(level + 1);
    const std::size_t begin = found.heading.rfind(" {#");
    if (begin == std::string::npos || found.heading.back() != '}') return found;
    found.id = found.heading.substr(begin + 3, found.heading.size() - begin - 4);
    found.heading.erase(begin);
    return found;
}

/// Whether a line is inside a fenced block, where # begins no heading.
class Fences {
  public:
    /// Takes the next line.
    bool is_code(const std::string& line) {
        const std::size_t begin = line.find_first_not_of(' ');
        const bool is_fence = begin != std::string::npos && line.compare(begin, 3, "```") == 0;
        if (is_fence) is_open_ = !is_open_;
        return is_open_ || is_fence;
    }

  private:
    bool is_open_ = false;
};

/// Reads title, sections and the worksheet's ids from the lesson's lines.
void read_structure(Lesson& lesson) {
    std::istringstream stream(lesson.markdown);
    Fences fences;
    std::vector<std::size_t> open;  // the sections that the line belongs to
    for (std::string line; std::getline(stream, line);) {
        const HeadingLine heading = fences.is_code(line) ? HeadingLine{} : heading_line(line);
        if (heading.level == 1 && lesson.title.empty()) lesson.title = without_number(heading.heading);
        while (heading.level > 0 && !open.empty() && lesson.sections[open.back()].level >= heading.level) {
            open.pop_back();
        }
        if (heading.level > 1 && !heading.id.empty()) {
            open.push_back(lesson.sections.size());
            lesson.sections.push_back({heading.id, heading.heading, heading.level, ""});
        }
        for (const std::size_t section : open) lesson.sections[section].markdown += line + "\n";
        const bool in_worksheet = !open.empty() && lesson.sections[open.front()].id == "worksheet";
        if (in_worksheet && line.starts_with("- `")) lesson.worksheet.push_back(line.substr(3, line.find('`', 3) - 3));
    }
}

}  // namespace

Error no_such_lesson(const std::string& wanted, Language language, const fs::path& directory) {
    Error error("there is no lesson " + wanted);
    for (const LessonFile& file : lesson_files(language, directory)) {
        error.note(fmt::format("lesson {}: {}", file.number, read_lesson(file).title));
    }
    return error.help("`minimind lessons` lists them");
}

std::vector<LessonFile> lesson_files(Language language, const fs::path& directory) {
    const Language other = language == Language::en ? Language::zh : Language::en;
    std::map<int, LessonFile> by_number;
    for (const Language one : {other, language}) {  // the wanted one replaces the other
        for (const auto& [number, path] : files_in(directory / language_code(one))) {
            by_number[number] = {number, one, path};
        }
    }
    std::vector<LessonFile> files;
    for (const auto& [number, file] : by_number) files.push_back(file);
    return files;
}

Lesson read_lesson(const LessonFile& file) {
    std::ifstream stream(file.path, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    if (!stream) throw Error("this lesson cannot be read").at(file.path.string());
    Lesson lesson;
    lesson.number = file.number;
    lesson.language = file.language;
    lesson.file = file.path;
    lesson.markdown = content.str();
    read_structure(lesson);
    return lesson;
}

Lesson read_lesson(int number, Language language, const fs::path& directory) {
    for (const LessonFile& file : lesson_files(language, directory)) {
        if (file.number == number) return read_lesson(file);
    }
    throw no_such_lesson(std::to_string(number), language, directory);
}

const LessonSection& section_of(const Lesson& lesson, const std::string& id) {
    std::string known;
    std::vector<std::string> ids;
    for (const LessonSection& section : lesson.sections) {
        if (section.id == id) return section;
        ids.push_back(section.id);
        known += (known.empty() ? "" : ", ") + section.id;
    }
    Error error(fmt::format("lesson {} has no section '{}'", lesson.number, id));
    const std::string nearest = nearest_name(id, ids);
    if (!nearest.empty()) error.help("did you mean " + nearest + "?");
    throw error.note("it has: " + known);
}

std::string rendered_lesson(const Lesson& lesson, Rendering rendering) {
    rendering.language = lesson.language;
    rendering.folder = "lessons/" + language_code(lesson.language);
    return rendered_markdown(lesson.markdown, rendering);
}

std::string rendered_section(const Lesson& lesson, const std::string& id, Rendering rendering) {
    rendering.language = lesson.language;
    rendering.folder = "lessons/" + language_code(lesson.language);
    return rendered_markdown(section_of(lesson, id).markdown, rendering);
}

}  // namespace minimind
