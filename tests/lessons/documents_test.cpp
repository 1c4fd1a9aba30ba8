// The lessons and the README as documents: both languages say the same, every command shows what it prints, every link
// leads somewhere, and the worksheets are those of the program.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "console/cells.hpp"
#include "lessons/lesson.hpp"
#include "lessons/markdown.hpp"
#include "lessons/worksheet.hpp"
#include "support/printed_numbers.hpp"
#include "support/run_program.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

using namespace minimind;

namespace {

namespace fs = std::filesystem;

const fs::path root = MINIMIND_SOURCE_DIR;

/// The lines of a document or an output without the empty ones at its end.
std::vector<std::string> lines_in(const std::string& text) {
    std::vector<std::string> lines = lines_of(text);
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

/// All blocks of a document, in order, those inside others too.
void append_blocks(const MarkdownBlock& block, std::vector<const MarkdownBlock*>& all) {
    all.push_back(&block);
    for (const MarkdownBlock& child : block.children) append_blocks(child, all);
}

/// A command that a document shows, and what it shows as its output.
struct ShownCommand {
    std::string line;
    std::vector<std::string> output;
};

/// The commands of all console blocks.
std::vector<ShownCommand> commands_in(const MarkdownBlock& document) {
    std::vector<const MarkdownBlock*> blocks;
    append_blocks(document, blocks);
    std::vector<ShownCommand> commands;
    for (const MarkdownBlock* block : blocks) {
        if (block->kind != MarkdownBlock::Kind::code || block->info != "console") continue;
        bool is_first = true;
        for (const std::string& line : lines_in(block->text)) {
            if (line.starts_with("$ ")) {
                commands.push_back({line.substr(2), {}});
            } else {
                REQUIRE_MESSAGE(!is_first, "a console block begins with `$ `, not: " << line);
                commands.back().output.push_back(line);
            }
            is_first = false;
        }
    }
    return commands;
}

using Lines = std::vector<std::string>;

/// The first line that parts `piece` from what is printed from `at` on; "" if there is none.
std::string difference_at(const Lines& piece, const Lines& printed, std::size_t at) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
        const std::string line = at + i < printed.size() ? printed[at + i] : "(nothing more)";
        if (at + i >= printed.size() || !equal_but_for_rounding(line, piece[i]))
            return piece[i] + "\n printed is: " + line;
    }
    return "";
}

/// The lines between those that are "...".
std::vector<Lines> pieces_of(const Lines& shown) {
    std::vector<Lines> pieces(1);
    for (const std::string& line : shown) {
        if (line == "...") {
            pieces.emplace_back();
        } else {
            pieces.back().push_back(line);
        }
    }
    return pieces;
}

/// What parts `shown` from what the program printed, where a line "..." stands for any number of lines; "" if nothing.
std::string difference(const Lines& shown, const Lines& printed) {
    const std::vector<Lines> pieces = pieces_of(shown);
    std::size_t at = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Lines& piece = pieces[i];
        const auto rest = printed.begin() + static_cast<std::ptrdiff_t>(at);
        auto found = rest;
        if (i + 1 == pieces.size() && i > 0) {  // the last piece is the end of what is printed
            const std::size_t left = printed.size() - at;
            found = rest + static_cast<std::ptrdiff_t>(left - std::min(left, piece.size()));
        } else if (i > 0) {
            found = std::search(rest, printed.end(), piece.begin(), piece.end(), equal_but_for_rounding);
            if (found == printed.end() && !piece.empty())
                found = std::find(rest, printed.end(), piece.front());  // for the message
        }
        at = static_cast<std::size_t>(found - printed.begin());
        const std::string parts = difference_at(piece, printed, at);
        if (!parts.empty()) return parts;
        at += piece.size();
    }
    const bool leaves_out_the_rest = pieces.size() > 1 && pieces.back().empty();
    return leaves_out_the_rest || at == printed.size() ? "" : "(nothing more)\n printed is: " + printed[at];
}

/// Runs every command of a document and compares. Messages (stderr) may be shown before or after the output, or not.
void check_commands(const fs::path& file, const std::string& language) {
    const TemporaryDirectory directory;
    for (const ShownCommand& command : commands_in(parse_markdown(file_text(file)))) {
        const ProgramResult result = run_shell(command.line, directory.path().string(), language);
        const std::string parts = difference(command.output, lines_in(result.out));
        const bool is_shown = parts.empty() || difference(command.output, lines_in(result.out + result.err)).empty() ||
                              difference(command.output, lines_in(result.err + result.out)).empty();
        CHECK_MESSAGE(is_shown, file.string() << "\n$ " << command.line << "\n shown is: " << parts);
    }
}

std::vector<Lesson> all_lessons(Language language) {
    std::vector<Lesson> lessons;
    for (const LessonFile& file : lesson_files(language, root / "lessons")) lessons.push_back(read_lesson(file));
    return lessons;
}

/// "lessons/en/09_....md" for messages.
std::string name_of(const Lesson& lesson) {
    return fs::relative(lesson.file, root).string();
}

std::string ids_of(const Lesson& lesson) {
    std::string ids;
    for (const LessonSection& section : lesson.sections) ids += std::to_string(section.level) + section.id + " ";
    return ids;
}

/// What must be the same in both languages, one a line: commands, links that show something, items of the worksheet.
std::string skeleton(const Lesson& lesson) {
    const MarkdownBlock document = parse_markdown(lesson.markdown);
    std::string lines;
    for (const ShownCommand& command : commands_in(document)) lines += "$ " + command.line + "\n";
    std::vector<const MarkdownBlock*> blocks;
    append_blocks(document, blocks);
    for (const MarkdownBlock* block : blocks) {
        for (const MarkdownLink& link : block->links) {
            const bool is_shown = link.title.starts_with("show: ") || link.title.starts_with("stage: ");
            if (is_shown) lines += link.address + " " + link.title + "\n";
        }
    }
    for (const std::string& id : lesson.worksheet) lines += id + "\n";
    return lines;
}

/// The items of the list in the section `worksheet`, one a line.
std::string listed_items(const Lesson& lesson) {
    std::string items;
    for (const std::string& line : lines_in(section_of(lesson, "worksheet").markdown)) {
        const bool is_first = line.starts_with("- `");
        if (!is_first && (items.empty() || !line.starts_with("  "))) continue;
        if (!is_first) items.back() = ' ';  // the line before goes on
        items += (is_first ? line : line.substr(2)) + "\n";
    }
    return items;
}

void check_links(const fs::path& file) {
    const MarkdownBlock document = parse_markdown(file_text(file));
    std::vector<const MarkdownBlock*> blocks;
    append_blocks(document, blocks);
    for (const MarkdownBlock* block : blocks) {
        for (const MarkdownLink& link : block->links) {
            const std::string path = link.address.substr(0, link.address.find('#'));
            const bool is_elsewhere = path.empty() || path.find("://") != std::string::npos;
            CHECK_MESSAGE((is_elsewhere || fs::exists(file.parent_path() / path)), file.string() << ": " << path);
        }
    }
}

}  // namespace

TEST_CASE("lines left out of a shown output may be any, all others must be there in their order") {
    const Lines printed = {"a", "b", "c", "b", "d"};
    const std::vector<Lines> right = {
        printed,           {"a", "...", "d"}, {"...", "c", "...", "d"}, {"a", "b", "..."},
        {"...", "b", "d"}, {"..."},           {"...", "..."},           {"a", "b", "c", "b", "d", "..."}};
    for (const Lines& shown : right) CHECK(difference(shown, printed) == "");
    CHECK(difference({}, {}) == "");
    CHECK(difference({"..."}, {}) == "");
    CHECK(difference({"a", "b"}, printed) == "(nothing more)\n printed is: c");
    CHECK(difference({}, printed) == "(nothing more)\n printed is: a");
    CHECK(difference({"b", "..."}, printed) == "b\n printed is: a");
    CHECK(difference({"...", "b"}, printed) == "b\n printed is: d");
    CHECK(difference({"...", "c", "d", "..."}, printed) == "d\n printed is: b");
    CHECK(difference({"...", "c", "...", "a", "..."}, printed) == "a\n printed is: (nothing more)");
    CHECK(difference({"a", "...", "a", "b", "c", "b", "d"}, printed) == "a\n printed is: b");
    CHECK(difference({"a", "b", "c", "b", "d", "e"}, printed) == "e\n printed is: (nothing more)");
}

TEST_CASE("both languages have the same lessons, and these the same sections, commands, code and questions") {
    std::map<std::string, int> languages;
    for (const char* language : {"en", "zh"}) {
        for (const auto& entry : fs::directory_iterator(root / "lessons" / language)) {
            ++languages[entry.path().filename().string()];
        }
    }
    for (const auto& entry : languages) CHECK_MESSAGE(entry.second == 2, entry.first << " is there in one language");

    const std::vector<Lesson> english = all_lessons(Language::en);
    const std::vector<Lesson> chinese = all_lessons(Language::zh);
    REQUIRE(english.size() == chinese.size());
    for (std::size_t i = 0; i < english.size(); ++i) {
        CAPTURE(name_of(english[i]));
        CHECK(ids_of(english[i]) == ids_of(chinese[i]));
        CHECK(skeleton(english[i]) == skeleton(chinese[i]));
    }
}

TEST_CASE("every lesson has the sections of a lesson") {
    for (const Lesson& lesson : all_lessons(Language::en)) {
        CAPTURE(name_of(lesson));
        std::string ids;
        for (const LessonSection& section : lesson.sections) {
            if (section.level == 2) ids += section.id + " ";
        }
        const std::string sections = "question principle code experiment see sources worksheet check later next ";
        CHECK(ids == (lesson.number == 8 ? "map " : "") + sections);
    }
}

TEST_CASE("the worksheet of a lesson lists the program's own items") {
    for (const Language language : {Language::en, Language::zh}) {
        for (const Lesson& lesson : all_lessons(language)) {
            CAPTURE(name_of(lesson));
            std::string expected;
            for (const Item& item : worksheet(lesson.number, lesson_sizes(lesson.number))) {
                expected += "- `" + item.id + "`: " + item.question.in(lesson.language) + "\n";
            }
            CHECK(listed_items(lesson) == expected);
        }
    }
}

TEST_CASE("every lesson renders at every width, and no line is wider") {
    for (const Language language : {Language::en, Language::zh}) {
        for (const Lesson& lesson : all_lessons(language)) {
            for (const std::size_t width : {60U, 80U, 120U}) {
                Rendering rendering;
                rendering.width = width;
                for (const std::string& line : lines_in(rendered_lesson(lesson, rendering))) {
                    CHECK_MESSAGE(display_width(line) <= width, name_of(lesson) << ": " << line);
                }
            }
        }
    }
}

TEST_CASE("links to files lead to files") {
    for (const Language language : {Language::en, Language::zh}) {
        for (const Lesson& lesson : all_lessons(language)) check_links(lesson.file);
    }
    check_links(root / "README.md");
    for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
        if (entry.path().extension() == ".md") check_links(entry.path());
    }
}

TEST_CASE("the commands of the English lessons print what the lessons show") {
    for (const Lesson& lesson : all_lessons(Language::en)) {
        if (lesson.language == Language::en) check_commands(lesson.file, "en");
    }
}

TEST_CASE("the commands of the Chinese lessons print what the lessons show") {
    for (const Lesson& lesson : all_lessons(Language::zh)) {
        if (lesson.language == Language::zh) check_commands(lesson.file, "zh");
    }
}

TEST_CASE("the commands of the README print what it shows, in both languages") {
    const MarkdownBlock english = parse_markdown(file_text(root / "README.md"));
    CHECK(commands_in(english).size() >= 6);
    check_commands(root / "README.md", "en");
    const fs::path chinese = root / "docs" / "README.zh.md";
    if (!fs::exists(chinese)) return;
    check_commands(chinese, "zh");
    std::string in_english;
    for (const ShownCommand& command : commands_in(english)) in_english += command.line + "\n";
    std::string in_chinese;
    for (const ShownCommand& command : commands_in(parse_markdown(file_text(chinese))))
        in_chinese += command.line + "\n";
    CHECK(in_english == in_chinese);
}
