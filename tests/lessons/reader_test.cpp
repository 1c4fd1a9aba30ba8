// Finding and reading lessons, on two small files in a directory of their own; and the command that shows them.
#include <doctest/doctest.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "lessons/course.hpp"
#include "lessons/lesson.hpp"
#include "lessons/pager.hpp"
#include "support/json_of.hpp"
#include "support/run_program.hpp"
#include "support/text.hpp"

using namespace minimind;

namespace {

namespace fs = std::filesystem;

const std::string english = R"(# Lesson 7: Seven and more

Before any section.

## The one question {#question}

Why?

### Inside {#inside}

Because.

### No id

## The code {#code}

```text
## no heading {#no}
- `no_item`: in a fence
```

- `no_item`: outside the worksheet

## The worksheet {#worksheet}

- `first`: one?
- `second`: two?

## Next {#next}
)";

const std::string chinese = "# 第 7 课：七：以及更多\n\n## 一个问题 {#question}\n\n为什么？\n";

/// A directory with lessons 7 in both languages, 8 in English and 12 in Chinese; gone when this is.
class Lessons {
  public:
    Lessons() {
        std::string pattern = "/tmp/minimind_test_XXXXXX";
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
        write("en/07_seven.md", english);
        write("zh/07_seven.md", chinese);
        write("en/08_eight.md", "# Lesson 8: Eight\n");
        write("zh/12_twelve.md", "# 第 12 课：十二\n");
        write("en/notes.md", "# No lesson\n");
        write("en/1_x.md", "# No lesson\n");
        write("en/09_picture.png", "");
    }
    ~Lessons() { fs::remove_all(path_); }
    Lessons(const Lessons&) = delete;
    Lessons& operator=(const Lessons&) = delete;

    const fs::path& path() const { return path_; }

  private:
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name) << text;
    }

    fs::path path_;
};

std::string numbers(const std::vector<LessonFile>& files) {
    std::string text;
    for (const LessonFile& file : files) text += std::to_string(file.number) + language_code(file.language) + " ";
    return text;
}

LessonState state(int number, std::size_t items, std::size_t right, std::size_t mastered) {
    LessonState lesson;
    lesson.number = number;
    lesson.title = "T";
    lesson.items = items;
    lesson.right = right;
    lesson.mastered = mastered;
    return lesson;
}

}  // namespace

TEST_CASE("lessons are found by number, and what is missing in one language is read in the other") {
    const Lessons lessons;
    CHECK(numbers(lesson_files(Language::en, lessons.path())) == "7en 8en 12zh ");
    CHECK(numbers(lesson_files(Language::zh, lessons.path())) == "7zh 8en 12zh ");
    CHECK(read_lesson(8, Language::zh, lessons.path()).title == "Eight");
    CHECK(read_lesson(12, Language::en, lessons.path()).language == Language::zh);
    CHECK(lesson_files(Language::en, lessons.path() / "nowhere").empty());
}

TEST_CASE("a lesson has a title, sections with ids, and a worksheet") {
    const Lessons lessons;
    const Lesson lesson = read_lesson(7, Language::en, lessons.path());
    CHECK(lesson.title == "Seven and more");
    CHECK(lesson.markdown == english);
    std::string ids;
    for (const LessonSection& section : lesson.sections) ids += section.id + " ";
    CHECK(ids == "question inside code worksheet next ");
    CHECK(lesson.sections[0].heading == "The one question");
    CHECK(lesson.sections[1].level == 3);
    CHECK(lesson.worksheet == std::vector<std::string>{"first", "second"});
    CHECK(read_lesson(7, Language::zh, lessons.path()).title == "七：以及更多");
}

TEST_CASE("a section goes up to the next heading of its level or above") {
    const Lessons lessons;
    const Lesson lesson = read_lesson(7, Language::en, lessons.path());
    CHECK(section_of(lesson, "question").markdown ==
          "## The one question {#question}\n\nWhy?\n\n### Inside {#inside}\n\nBecause.\n\n### No id\n\n");
    CHECK(section_of(lesson, "inside").markdown == "### Inside {#inside}\n\nBecause.\n\n");
    CHECK(section_of(lesson, "next").markdown == "## Next {#next}\n");
    CHECK(rendered_section(lesson, "inside", {}) == "Inside\n~~~~~~\n\nBecause.\n");
    CHECK(contains(rendered_lesson(lesson, {}), "## no heading {#no}"));
}

TEST_CASE("what is not there is an error that says what is") {
    const Lessons lessons;
    try {
        read_lesson(9, Language::en, lessons.path());
        FAIL("it was found");
    } catch (const Error& error) {
        CHECK(std::string(error.what()) == "there is no lesson 9");
        CHECK(error.notes() ==
              std::vector<std::string>{"lesson 7: Seven and more", "lesson 8: Eight", "lesson 12: 十二"});
    }
    try {
        section_of(read_lesson(7, Language::en, lessons.path()), "worksheets");
        FAIL("it was found");
    } catch (const Error& error) {
        CHECK(error.helps() == std::vector<std::string>{"did you mean worksheet?"});
    }
}

TEST_CASE("the state of the course is counted by items, and leads to the next step") {
    const Lessons lessons;
    const Lesson seven = read_lesson(7, Language::en, lessons.path());
    Progress progress;
    add_attempt(progress, {7, "second", Round::first, true, true, "right"});
    add_attempt(progress, {7, "elsewhere", Round::first, true, true, "right"});
    const LessonState counted = course_state({seven}, progress).front();
    CHECK(counted.items == 2);
    CHECK(counted.right == 1);
    CHECK(counted.mastered == 0);
    add_attempt(progress, {7, "first", Round::transfer, true, true, "right"});
    CHECK(course_state({seven}, progress).front().right == 2);
    CHECK(course_state({seven}, progress).front().mastered == 1);

    CHECK(state_text(state(7, 0, 0, 0), Language::en) == "-");
    CHECK(state_text(state(7, 5, 0, 0), Language::en) == "5 questions");
    CHECK(state_text(state(7, 5, 3, 1), Language::en) == "3 of 5 right, 1 mastered");
    CHECK(state_text(state(7, 5, 5, 0), Language::zh) == "5 题全部答对");
    CHECK(state_text(state(7, 5, 5, 5), Language::zh) == "已掌握");

    CHECK(next_step({state(7, 5, 0, 0), state(8, 5, 5, 0)}).command == "minimind lessons 7");
    CHECK(next_step({state(7, 5, 5, 0), state(8, 5, 3, 0)}).command == "minimind lessons 8 --check");
    CHECK(next_step({state(6, 0, 0, 0), state(7, 5, 5, 1)}).command == "minimind lessons 7 --check --transfer");
    CHECK(next_step({state(7, 5, 5, 5)}).lesson == 0);
    CHECK(next_step({}).lesson == 0);
    const nlohmann::ordered_json json = course_json({state(7, 5, 3, 0)});
    CHECK(json["lessons"][0]["right"] == 3);
    CHECK(json["next"]["command"] == "minimind lessons 7 --check");
}

TEST_CASE("a pager gets the text, and one that cannot be started is told from one that ends early") {
    const Lessons lessons;
    const std::string file = (lessons.path() / "paged").string();
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += "a line that fills the pipe\n";
    CHECK(page(text, "cat > " + file));
    CHECK(fs::file_size(file) == text.size());
    CHECK(page(text, "head -n 1 > " + file));
    CHECK(page(text, "exit 1"));
    CHECK_FALSE(page(text, "/no/such/pager 2>/dev/null"));
    CHECK_FALSE(page(text, lessons.path().string() + " 2>/dev/null"));  // a directory cannot be run
}

TEST_CASE("the command reads, lists and refuses") {
    const ProgramResult list = run_program({"lessons"});
    CHECK(list.exit_code == 0);
    CHECK(contains(list.out, "RMSNorm"));
    const ProgramResult lesson = run_program({"lessons", "09", "--lang", "zh", "--color", "always"});
    CHECK(lesson.exit_code == 0);
    CHECK(contains(lesson.out, "\x1b[1m"));
    CHECK_FALSE(contains(lesson.out, "{#"));
    CHECK_FALSE(contains(run_program({"lessons", "9"}).out, "\x1b"));  // a pipe: no colour
    CHECK(contains(run_program({"lessons", "9", "--format", "markdown"}).out, "## "));
    const auto json = json_of(run_program({"lessons", "9", "--format", "json"}).out);
    CHECK(json["number"] == 9);
    CHECK(json["sections"][0]["id"] == "question");
    CHECK(json["worksheet"].size() == 15);
    const auto section = json_of(run_program({"lessons", "9", "--section", "question", "--format", "json"}).out);
    CHECK(section["id"] == "question");

    for (const char* wrong : {"7777", "-9", "nine", "", "9.5", "99999999999999999999"}) {
        CAPTURE(wrong);
        const ProgramResult result = run_program({"lessons", wrong});
        CHECK(result.exit_code == (*wrong == '\0' ? 0 : 2));  // no number: the list
        if (*wrong != '\0') CHECK(contains(result.err, "there is no lesson"));
    }
    CHECK(run_program({"lessons", "9", "--section", "nothing"}).exit_code == 2);
    CHECK(run_program({"lessons", "--section", "code"}).exit_code == 2);
    CHECK(run_program({"lessons", "9", "--format", "html"}).exit_code == 2);
}
