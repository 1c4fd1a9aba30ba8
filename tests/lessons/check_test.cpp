// Filling in a worksheet: from a text, and at a terminal, where streams play the learner.
#include <doctest/doctest.h>

#include <sstream>

#include "lessons/check_dialogue.hpp"
#include "lessons/check_sheet.hpp"
#include "support/text.hpp"

using namespace minimind;

namespace {

FilledWorksheet sheet_of_lesson_9(Round round = Round::first) {
    FilledWorksheet sheet;
    sheet.lesson = 9;
    sheet.round = round;
    sheet.sizes = round == Round::first ? lesson_sizes(9) : transfer_sizes(9);
    sheet.items = worksheet(9, sheet.sizes);
    sheet.results.resize(sheet.items.size());
    return sheet;
}

struct Sitting {
    FilledWorksheet sheet;
    std::string output;
    std::vector<std::string> kept;  // "embed_out right", as it is told while it goes on
};

Sitting sit(const std::string& input, FilledWorksheet sheet, Language language = Language::en) {
    Sitting sitting{std::move(sheet), "", {}};
    std::istringstream in(input);
    std::ostringstream out;
    DialogueStyle style;
    style.language = language;
    style.width = 100;
    run_dialogue(sitting.sheet, in, out, style, [&sitting](const Item& item, const Judgement& judgement) {
        sitting.kept.push_back(item.id + " " + verdict_name(judgement.verdict));
    });
    sitting.output = out.str();
    return sitting;
}

/// Every right answer, a line each.
std::string all_right(const FilledWorksheet& sheet) {
    std::string lines;
    for (const Item& item : sheet.items) lines += answer_text(item.right) + "\n";
    return lines;
}

std::string error_of(const std::string& text) {
    try {
        static_cast<void>(read_sheet(text, "sheet.txt", sheet_of_lesson_9().items));
    } catch (const Error& error) {
        std::string all = std::string(error.what()) + "|" + error.where();
        for (const std::string& help : error.helps()) all += "|" + help;
        return all;
    }
    return "";
}

}  // namespace

TEST_CASE("a sheet is read line by line") {
    const std::vector<Item> items = sheet_of_lesson_9().items;
    const auto answers = read_sheet(
        "\xEF\xBB\xBF# a comment\n\nembed_out = (2, 6, 64)  # why\r\n  rms_count:12\n"
        "same_token＝０\nresid_base ： resid_mid\nembed_table =\n",
        "sheet.txt", items);
    CHECK(answers.at("embed_out") == "(2, 6, 64)");
    CHECK(answers.at("rms_count") == "12");
    CHECK(answers.at("same_token") == "０");
    CHECK(answers.at("resid_base") == "resid_mid");
    CHECK(answers.at("embed_table").empty());
    CHECK(answers.size() == 5);
    CHECK(read_sheet("", "sheet.txt", items).empty());
}

TEST_CASE("a sheet that cannot be read says where and why") {
    CHECK(contains(error_of("embed_ot = 3"), "did you mean embed_out?"));
    CHECK(contains(error_of("# first\n\nembed_ot = 3"), "sheet.txt, line 3"));
    CHECK(contains(error_of("just a text"), "id = answer"));
    CHECK(contains(error_of("embed_out = 1\nembed_out = 2"), "answered twice"));
    CHECK(contains(error_of(" = 3"), "no item ''"));
    CHECK_THROWS_AS(static_cast<void>(sheet_text("/nonexistent/sheet.txt")), Error);
    CHECK_THROWS_AS(static_cast<void>(sheet_text("/tmp")), Error);
    CHECK_THROWS_AS(static_cast<void>(sheet_text("/dev/zero")), Error);  // endless, and no text
    CHECK_THROWS_AS(static_cast<void>(sheet_text("")), Error);
}

TEST_CASE("the blank sheet can be read back, in both languages") {
    const FilledWorksheet sheet = sheet_of_lesson_9();
    for (const Language language : {Language::en, Language::zh}) {
        const std::string blank = blank_sheet(9, sheet.items, sheet.sizes, language);
        const auto answers = read_sheet(blank, "sheet.txt", sheet.items);
        CHECK(answers.size() == sheet.items.size());
        for (const Item& item : sheet.items) CHECK(answers.at(item.id).empty());
        CHECK(contains(blank, "H 64"));
    }
}

TEST_CASE("all right at the terminal") {
    const FilledWorksheet sheet = sheet_of_lesson_9();
    const Sitting sitting = sit(all_right(sheet), sheet);
    CHECK(sitting.sheet.is_all_right());
    CHECK(sitting.kept.size() == sheet.items.size());
    CHECK(contains(sitting.output, " 1/15  embed_table"));
    CHECK(contains(sitting.output, "15/15  one_more_layer"));
    CHECK(contains(result_summary(sitting.sheet, Language::en), "15 of 15 right"));
    CHECK(contains(result_summary(sitting.sheet, Language::en), "minimind lessons 9 --check --transfer"));
}

TEST_CASE("a wrong answer is asked again, with hints, and the answer on request") {
    const Sitting sitting =
        sit("(64, 6400)\nhint\nhint\nhint\nhint\n(6400, 64)\nshow\n64\n\n12\nquit\n", sheet_of_lesson_9());
    CHECK(contains(sitting.output, "wrong: that is how x · W would store it"));
    CHECK(contains(sitting.output, "hint 1 of 3"));
    CHECK(contains(sitting.output, "hint 3 of 3"));
    CHECK(contains(sitting.output, "there are three hints"));
    CHECK(contains(sitting.output, "(2, 6, 64)"));  // shown for embed_out
    const std::vector<std::string> expected = {"embed_table wrong", "embed_table right", "same_token wrong",
                                               "rms_count right"};
    CHECK(sitting.kept == expected);
    CHECK(sitting.sheet.results[0].is_right());
    CHECK(sitting.sheet.results[1].judgement.verdict == Verdict::blank);  // shown, not answered
    CHECK(sitting.sheet.results[2].judgement.verdict == Verdict::wrong);  // skipped after a mistake
    CHECK(sitting.sheet.results[3].is_right());
    const std::string sum = result_summary(sitting.sheet, Language::en);
    CHECK(contains(sum, "2 of 15 right, 1 wrong, 12 blank"));
    CHECK(contains(sum, "--hint embed_out"));
}

TEST_CASE("back returns, the end of the input ends, and what was answered stays") {
    Sitting sitting = sit("back\nskip\nback\n(6400, 64)\n(2, 6, 64)", sheet_of_lesson_9());
    CHECK(contains(sitting.output, "this is the first item"));
    CHECK(sitting.sheet.results[0].is_right());
    CHECK(sitting.sheet.results[1].is_right());
    CHECK(sitting.sheet.results[2].judgement.verdict == Verdict::blank);
    CHECK(sitting.output.back() == '\n');
    sitting = sit("", sheet_of_lesson_9());
    CHECK(sitting.kept.empty());
    sitting = sit("(6400, 64)\nback\n(64, 6400)\n", sheet_of_lesson_9());
    CHECK(sitting.sheet.results[0].is_right());  // what is right stays right
    sitting = sit("@@\n@@\n", sheet_of_lesson_9());
    CHECK(contains(sitting.output, "unreadable: wanted is a shape"));
    CHECK(sitting.sheet.results[0].judgement.verdict == Verdict::unreadable);
}

TEST_CASE("what was right before is not asked again") {
    FilledWorksheet sheet = sheet_of_lesson_9();
    sheet.results[0].was_right_before = true;
    sheet.results[2].was_right_before = true;
    const Sitting sitting = sit("(2, 6, 64)\n12\n", sheet);
    const std::vector<std::string> expected = {"embed_out right", "rms_count right"};
    CHECK(sitting.kept == expected);
    CHECK(contains(sitting.output, "What was right before is not asked again"));
    CHECK(contains(result_summary(sitting.sheet, Language::en), "4 of 15 right"));
}

TEST_CASE("the sitting in Chinese") {
    const Sitting sitting =
        sit("(64, 6400)\n提示\n（６４００，６４）\n答案\n退出\n", sheet_of_lesson_9(), Language::zh);
    CHECK(contains(sitting.output, "第 9 课练习"));
    CHECK(contains(sitting.output, "错：这是按 x · W"));
    CHECK(contains(sitting.output, "提示 1/3：嵌入表"));
    CHECK(contains(sitting.output, "  对\n"));
    CHECK(contains(result_summary(sitting.sheet, Language::zh), "1 / 15 对，14 未答"));
}

TEST_CASE("the result as JSON, and what is kept of it") {
    FilledWorksheet sheet = sheet_of_lesson_9(Round::transfer);
    const auto fill = [&sheet](std::size_t i, const std::string& written) {
        sheet.results[i] = {written, judge(sheet.items[i], written, sheet.sizes), false};
    };
    fill(0, "(6400, 96)");
    fill(1, "(4, 7)");
    fill(2, "@");
    const nlohmann::ordered_json json = result_json(sheet, Language::en);
    CHECK(json["round"] == "transfer");
    CHECK(json["sizes"]["head_dim"] == 20);
    CHECK(json["items"][0]["verdict"] == "right");
    CHECK(json["items"][0]["mastered"] == true);
    CHECK(json["items"][1]["verdict"] == "wrong");
    CHECK(json["items"][1]["mistake"] == 0);
    CHECK(json["items"][2]["verdict"] == "unreadable");
    CHECK(json["items"][3]["verdict"] == "blank");
    CHECK(json["right"] == 1);
    CHECK(json["blank"] == 12);
    CHECK(json["total"] == 15);
    CHECK(json["next"] == "minimind lessons 9 --hint embed_out --transfer");
    const std::vector<Attempt> attempts = attempts_of(sheet);
    REQUIRE(attempts.size() == 2);
    CHECK(attempts[0].is_right);
    CHECK(attempts[0].tells_apart);
    CHECK(!attempts[1].is_right);

    fill(0, std::string("\x1b[31m\xff"));
    CHECK(!contains(result_lines(sheet, Language::en, Paint(false)), "\x1b"));
    CHECK(!result_json(sheet, Language::en).dump().empty());
}
