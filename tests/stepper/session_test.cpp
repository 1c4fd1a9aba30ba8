// Lines, prefixes, repeats, scripts, help and completion; and that nothing a learner types ends a session.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>

#include "stepper/command_history.hpp"
#include "stepper/stage_lessons.hpp"
#include "support/printed_numbers.hpp"
#include "support/run_program.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"
#include "tiny_session.hpp"

using namespace minimind;

namespace {

namespace fs = std::filesystem;

/// Means near 0 are sums that cancel: their digits are rounding, and differ between processors.
std::string without_means(const std::string& line) {
    static const std::regex mean("mean +-?[0-9.e-]+");
    return std::regex_replace(line, mean, "mean #");
}

}  // namespace

TEST_CASE("prefixes, aliases, ;; and the empty line") {
    TinySession tiny;
    tiny.run("st");  // step or stats
    CHECK_FALSE(tiny.worked);
    CHECK(contains(tiny.out.str(), "step, stats"));
    tiny.run("ste 2;;");  // an empty part is no empty line
    CHECK(tiny.here() == "model.rope.sin");
    tiny.run("s;; n ;;b 2");
    CHECK(tiny.here() == "model.rope.sin");
    tiny.run("\tgoto   scores  ");
    CHECK(tiny.here() == "model.layers.0.self_attn.scores");
}

TEST_CASE("an empty line repeats the last move, and nothing else") {
    TinySession tiny;
    tiny.run("");
    CHECK(tiny.here() == "model.embed_tokens");
    tiny.run("step 2");
    tiny.run("print [0]");
    tiny.run("");
    CHECK(tiny.here() == "model.layers.0.input_layernorm");
    tiny.run("b");
    tiny.run("");
    CHECK(tiny.here() == "model.rope.sin");
    tiny.run("# a comment");
    CHECK(tiny.worked);
    CHECK(tiny.here() == "model.rope.sin");
}

TEST_CASE("a wrong command says what would have worked, and the session goes on") {
    TinySession tiny;
    CHECK(contains(tiny.run("stepp"), "did you mean step?"));
    CHECK(contains(tiny.run("scores"), "scores is a stage: goto scores"));
    CHECK(contains(tiny.run("print scores[9]"), "use 0 to 1"));
    CHECK(contains(tiny.run("step x"), "how many stages to go"));
    CHECK(contains(tiny.run("step 0"), "how many stages to go"));
    CHECK(contains(tiny.run("finish 3"), "takes nothing after it"));
    CHECK(contains(tiny.run("heat scores[0,0,3:1]"), "nothing is selected"));
    CHECK(contains(tiny.run("save"), "a file's name is missing"));
    CHECK_FALSE(tiny.session.is_over());
    tiny.run("step ;; nonsense ;; step");  // what follows a failure is left out
    CHECK(tiny.here() == "model.rope.cos");
    tiny.run("quit ;; step");
    CHECK(tiny.session.is_over());
    CHECK(tiny.here() == "model.rope.cos");
}

TEST_CASE("noise of all kinds is answered, never obeyed to the death") {
    TinySession tiny({true, 2, true, true});
    const std::string pieces[] = {"print", "heat", "curve", "stats",   "goto",   "scores",        "[",        "]",
                                  "0",     "-1",   ":",     ",",       "...",    "mlp.experts.0", "topk_idx", "lm_head",
                                  "loss",  " ",    "99",    "::-1",    "step",   "layer",         "break",    "if",
                                  "max>",  "list", "info",  "explain", "source", "params",        "\xff",     "中",
                                  "\t",    "９",   "；；",  "[0,0]",   "[1,:2]", "why",           "until",    "help"};
    std::mt19937 random(7);
    for (int i = 0; i < 400; ++i) {
        std::string line;
        const std::size_t length = random() % 6;
        for (std::size_t j = 0; j <= length; ++j) {
            line += pieces[random() % std::size(pieces)];
            if (random() % 2 == 0) line += " ";
        }
        INFO(line);
        CHECK_FALSE(contains(tiny.run(line), "this is a bug"));
        CHECK_FALSE(tiny.session.is_over());
    }
}

TEST_CASE("full-width characters of an input method do as well") {
    TinySession tiny;
    CHECK(tiny.run("print scores［０，１，２］") == tiny.run("print scores[0,1,2]"));
    tiny.run("goto　scores");
    CHECK(tiny.here() == "model.layers.0.self_attn.scores");
}

TEST_CASE("every stage is printed, drawn, explained and sourced in both languages") {
    for (const Language language : {Language::en, Language::zh}) {
        for (const PassOptions& options : {PassOptions{false, 2, true, false}, PassOptions{true, 0, false, false}}) {
            TinySession tiny(options, all_layers, language);
            for (const Stage& stage : tiny.state().recording->stages()) {
                if (stage.site().layer > 0) continue;
                for (const char* command :
                     {"info ", "print ", "stats ", "heat ", "curve ", "params ", "source ", "explain "}) {
                    const std::string line = command + stage.name();
                    const std::string text = tiny.run(line);
                    CAPTURE(line);
                    CHECK(tiny.worked);
                    CHECK(text.size() > 10);
                }
            }
        }
    }
}

TEST_CASE("the lesson's part that explains a stage is the same in both languages") {
    for (const PointInfo& point : point_table()) {
        CAPTURE(point.name);
        const LessonPlace place = lesson_of(point.point, false);
        const std::string en = lesson_part(place, Language::en);
        const std::string zh = lesson_part(place, Language::zh);
        CHECK(en.starts_with("### " + std::string(place.heading)));
        CHECK(zh.starts_with("### "));
        CHECK(en != zh);
        // The code and the names in a part are the same in both: here those of its first block of code.
        const auto code = [](const std::string& part) {
            const std::size_t begin = part.find("```text\n");
            return begin == std::string::npos ? std::string()
                                              : part.substr(begin, part.find_first_of(" \n", begin + 8) - begin);
        };
        if (!code(en).empty()) CHECK(code(zh).size() > 8);
    }
}

TEST_CASE("help lists all commands in both languages and explains each") {
    TinySession english;
    TinySession chinese({}, all_layers, Language::zh);
    for (const char* name :
         {"step",  "back",  "next", "finish", "goto",   "until",  "break",   "continue", "layer", "list", "info",
          "print", "stats", "heat", "curve",  "params", "source", "explain", "save",     "help",  "quit"}) {
        CAPTURE(name);
        CHECK(contains(english.run("help"), std::string("  ") + name));
        CHECK(contains(chinese.run("help"), std::string("  ") + name));
        CHECK(contains(english.run(std::string("help ") + name), name));
        CHECK(english.worked);
    }
    CHECK(contains(chinese.run("help"), "空行重复"));
}

TEST_CASE("completion offers commands, then stages") {
    TinySession tiny;
    const auto words = [&](const std::string& line) { return tiny.session.complete(line).words; };
    CHECK(words("unt") == std::vector<std::string>{"until"});
    CHECK(words("s").size() > 3);
    CHECK(words("goto q_p") == std::vector<std::string>{"q_proj"});
    CHECK(words("p self_attn.q_") ==
          std::vector<std::string>{"self_attn.q_norm", "self_attn.q_proj", "self_attn.q_rope"});
    CHECK(words("step ;; goto attn_w") == std::vector<std::string>{"attn_weights"});
    CHECK(tiny.session.complete("step ;; goto attn_w").begin == 13);
    CHECK(words("help ste") == std::vector<std::string>{"step"});
    CHECK(words("layer q").empty());
    CHECK(words("goto nothing").empty());
}

TEST_CASE("the history is a file of lines that several sessions add to") {
    const TemporaryDirectory directory;
    const fs::path path = directory.path() / "state" / "minimind" / "step_history";
    const CommandHistory history{path};
    CHECK(history.lines().empty());
    history.add("step 2");
    CommandHistory{path}.add("print 中文");
    CHECK(history.lines() == std::vector<std::string>{"step 2", "print 中文"});
    for (int i = 0; i < 2100; ++i) history.add(std::to_string(i));
    CHECK(history.lines().size() == CommandHistory::most_lines);
    CHECK(history.lines().back() == "2099");
    CHECK(lines_of(file_text(path)).size() == CommandHistory::most_lines);

    const auto in = [](const char* name) {
        return [name](const char* asked) { return std::string(asked) == name ? "/x" : nullptr; };
    };
    CHECK(CommandHistory::of_user(in("XDG_STATE_HOME")).path() == fs::path("/x/minimind/step_history"));
    CHECK(CommandHistory::of_user(in("HOME")).path() == fs::path("/x/.local/state/minimind/step_history"));
    CHECK_FALSE(CommandHistory::of_user(in("OTHER")).path());
    CommandHistory{fs::path("/proc/no/such/place")}.add("nothing happens");
}

TEST_CASE("transcripts: whole sessions as they were seen before") {
    const fs::path folder = fs::path(MINIMIND_SOURCE_DIR) / "tests" / "stepper" / "transcripts";
    int found = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".step") continue;
        ++found;
        CAPTURE(entry.path().filename().string());
        // The first line has the command: "# minimind step --layer 0".
        std::istringstream first(lines_of(file_text(entry.path())).at(0));
        std::vector<std::string> words;
        for (std::string word; first >> word;) words.push_back(word);
        words.erase(words.begin(), words.begin() + 2);
        words.insert(words.end(), {"-x", entry.path().string(), "--batch"});
        const ProgramResult result = run_program(words);
        CHECK(result.exit_code == 0);
        CHECK(result.err.empty());
        fs::path expected = entry.path();
        const std::vector<std::string> theirs = lines_of(file_text(expected.replace_extension(".out")));
        const std::vector<std::string> ours = lines_of(result.out);
        CHECK(ours.size() == theirs.size());
        for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
            INFO("line ", i + 1, "\n", ours[i], "\n", theirs[i]);
            CHECK(equal_but_for_rounding(without_means(ours[i]), without_means(theirs[i])));
        }
    }
    CHECK(found >= 4);
}

TEST_CASE("--batch ends at the first command that fails, with exit code 1") {
    const TemporaryDirectory directory;
    const fs::path script = directory.file("wrong.step", "step\ngoto nowhere\nstep\n");
    ProgramResult result = run_program({"step", "-x", script.string(), "--batch"});
    CHECK(result.exit_code == 1);
    CHECK(contains(result.err, "no stage of this pass is called 'nowhere'"));
    CHECK(contains(result.out, "(step) goto nowhere"));
    CHECK(result.out.ends_with("(step) goto nowhere\n"));

    result = run_program({"step"}, "step\ngoto nowhere\nprint [0]\n");  // without it the session goes on
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "nowhere"));
    CHECK(contains(result.out, "model.rope.cos[0]"));

    CHECK(run_program({"step", "-x", "/no/such/file"}).exit_code == 2);
    CHECK(run_program({"step", "-x", directory.path().string()}).exit_code == 2);
    CHECK(run_program({"step", "--layer", "2"}).exit_code == 2);
    CHECK(run_program({"step", "--batch"}, "quit\n").exit_code == 0);
    CHECK(run_program({"step", "--batch"}, "").exit_code == 0);
}

TEST_CASE("a saved session runs again and shows the same") {
    const TemporaryDirectory directory;
    const std::string file = (directory.path() / "my session.step").string();
    const std::string typed = "n\nprint [0,:4]\nnonsense\n\nheat attn_weights[0,1]\n";
    const ProgramResult first = run_program({"step"}, typed + "save " + file + "\n");
    CHECK(contains(first.out, "4 commands in " + file));
    const ProgramResult second = run_program({"step", "-x", file, "--batch"});
    CHECK(second.exit_code == 0);
    CHECK(contains(second.out, "(step) heat attn_weights[0,1]\n"));
    // All but the mistake and the save itself.
    const std::string heat = "self_attn.attn_weights[0, 1, :, :]";
    CHECK(second.out.substr(second.out.find(heat)) ==
          first.out.substr(first.out.find(heat), second.out.size() - second.out.find(heat)));
    const ProgramResult again = run_program({"step"}, "step\nsave " + file + "\n");
    CHECK(contains(again.out, "this file is there already"));
    CHECK(contains(run_program({"step"}, "step\nsave --force " + file + "\n").out, "1 commands in"));
}
