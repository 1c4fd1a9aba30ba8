// The program as a learner meets it: from `minimind` to a checked worksheet.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lessons/worksheet.hpp"
#include "support/json_of.hpp"
#include "support/run_program.hpp"
#include "support/text.hpp"

using namespace minimind;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A learner's own place for progress, gone when this is.
class Learner {
  public:
    Learner() {
        std::string pattern = "/tmp/minimind_test_XXXXXX";
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        home_ = pattern;
        setenv("XDG_STATE_HOME", home_.c_str(), 1);
    }
    ~Learner() {
        unsetenv("XDG_STATE_HOME");
        fs::remove_all(home_);
    }
    Learner(const Learner&) = delete;
    Learner& operator=(const Learner&) = delete;

    fs::path home() const { return home_; }

  private:
    fs::path home_;
};

std::string filled_in(int lesson, const Sizes& sizes) {
    std::string sheet;
    for (const Item& item : worksheet(lesson, sizes)) sheet += item.id + " = " + answer_text(item.right) + "\n";
    return sheet;
}

json overview() {
    return json_of(run_program({"--format", "json"}).out);
}

/// The entry of lesson 9 in the overview.
json lesson_9() {
    const json all = overview();  // must outlive the loop
    for (const json& lesson : all["lessons"]) {
        if (lesson["number"] == 9) return lesson;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("from the overview to a mastered worksheet of lesson 9") {
    const Learner learner;
    ProgramResult result = run_program({});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "\n  minimind lessons 8\n"));
    CHECK(contains(result.out, "\n  minimind lessons 8 --check\n"));
    CHECK(overview()["totals"]["right"] == 0);

    result = run_program({"lessons", "9", "--worksheet"});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "embed_out = "));
    result = run_program({"lessons", "9", "--check", "-"}, result.out);  // handed in blank
    CHECK(result.exit_code == 1);
    CHECK(contains(result.out, "0 of 15 right, 15 blank"));

    result = run_program({"lessons", "9", "--check"}, filled_in(9, lesson_sizes(9)));
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "15 of 15 right"));
    CHECK(contains(result.out, "`minimind lessons 9 --check --transfer`"));
    CHECK(lesson_9()["right"] == 15);
    CHECK(lesson_9()["mastered"] == 0);

    // The answers of the first round are wrong in the second.
    result = run_program({"lessons", "9", "--check", "--transfer"}, filled_in(9, lesson_sizes(9)));
    CHECK(result.exit_code == 1);
    result = run_program({"lessons", "9", "--check", "--transfer"}, filled_in(9, transfer_sizes(9)));
    CHECK(result.exit_code == 0);
    CHECK(lesson_9()["mastered"] == 15);
    CHECK(contains(run_program({}).out, "mastered"));

    CHECK(run_program({"lessons", "9", "--reset"}).exit_code == 0);
    CHECK(lesson_9()["right"] == 0);
    CHECK(run_program({"lessons", "--reset", "all"}).exit_code == 0);
    CHECK(run_program({"lessons", "--reset"}).exit_code == 2);
    CHECK(run_program({"lessons", "--reset", "some"}).exit_code == 2);
}

TEST_CASE("the flags choose the sizes, and the suggested commands repeat them") {
    const Learner learner;
    const std::string sheet = "embed_out = (3, 5, 32)\nqk_weight = 8\n";
    const std::vector<std::string> flags = {"lessons",      "9", "--check",   "-", "--hidden_size", "32",
                                            "--batch_size", "3", "--seq-len", "5", "--format",      "json"};
    const ProgramResult result = run_program(flags, sheet);
    CHECK(result.exit_code == 1);
    const json json = json_of(result.out);
    CHECK(json["right"] == 2);
    CHECK(json["sizes"]["head_dim"] == 8);
    CHECK(json["next"] == "minimind lessons 9 --hint embed_table --hidden_size 32 --batch_size 3 --seq_len 5");
    CHECK(json_of(run_program({"lessons", "9", "--show", "embed_out", "--preset", "minimind3", "--format", "json"})
                      .out)["answer"] == "(2, 6, 768)");
}

TEST_CASE("hints come in three steps") {
    const Learner learner;
    const ProgramResult first = run_program({"lessons", "9", "--hint", "k", "--hint", "k"});
    CHECK(first.exit_code == 2);  // no such item
    const ProgramResult second = run_program({"lessons", "9", "--hint", "qk_weight", "--step", "2"});
    CHECK(second.exit_code == 0);
    CHECK(contains(second.out, "hint 2 of 3"));
    CHECK(contains(second.out, "--hint qk_weight --step 3"));
    CHECK(second.out == run_program({"lessons", "9", "--hint", "qk_weight", "--hint", "qk_weight"}).out);
    CHECK(contains(run_program({"lessons", "9", "--hint", "qk_weight", "--step", "3"}).out, "--show qk_weight"));
    CHECK(contains(run_program({"lessons", "9", "--show", "qk_weight"}).out, "weight [D] = [16]"));
    CHECK(run_program({"lessons", "9", "--hint", "qk_weight", "--hint", "embed_out"}).exit_code == 2);
    CHECK(run_program({"lessons", "9", "--hint", "qk_weight", "--step", "4"}).exit_code == 2);
    CHECK(run_program({"lessons", "9", "--step", "2"}).exit_code == 2);
    CHECK(run_program({"lessons", "--hint", "qk_weight"}).exit_code == 2);  // of which lesson?
}

TEST_CASE("what cannot be read is an error with exit code 2") {
    const Learner learner;
    ProgramResult result = run_program({"lessons", "9", "--check", "-"}, "embed_ot = 3\n");
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "did you mean embed_out?"));
    CHECK(contains(result.err, "standard input, line 1"));
    CHECK(run_program({"lessons", "9", "--check", "/nonexistent"}).exit_code == 2);
    CHECK(run_program({"lessons", "9", "--check", "-"}, std::string("\xff\xfe\0x", 4)).exit_code == 2);
    CHECK(run_program({"lessons", "9", "--check", "-", "--hidden_size", "0"}).exit_code == 2);
    CHECK(run_program({"lessons", "9", "--check", "-", "--seq_len", "1000"}).exit_code == 2);
    CHECK(run_program({"lessons", "9", "--check", "-", "--hidden_size", "1000000"}).exit_code == 2);  // too large
    // The transfer round at the sizes of the first one would only ask for what was seen.
    CHECK(run_program({"lessons", "9", "--check", "-", "--transfer", "--hidden_size", "64", "--num_hidden_layers", "2",
                       "--num_attention_heads", "4", "--num_key_value_heads", "2", "--head_dim", "16", "--batch_size",
                       "2", "--seq_len", "6"})
              .exit_code == 2);
    result = run_program({"lessons", "7", "--check", "-"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "9"));
}

TEST_CASE("progress that cannot be kept is a note, and the answers are judged all the same") {
    const Learner learner;
    std::ofstream(learner.home() / "minimind") << "a file where a directory should be";
    const ProgramResult result = run_program({"lessons", "9", "--check"}, filled_in(9, lesson_sizes(9)));
    CHECK(result.exit_code == 0);
    CHECK(contains(result.err, "note: progress is not saved"));
    CHECK(run_program({}).exit_code == 0);
}
