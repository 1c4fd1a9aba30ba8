#include "lessons/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "console/flag_words.hpp"
#include "console/numbers.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"
#include "model/parameters.hpp"

namespace minimind {

namespace {

/// The flags among the words that choose sizes, as they would be written again: " --hidden_size 96".
std::string size_flags(const Arguments& args, const std::vector<std::string>& words) {
    static const std::set<std::string> others = {"--check",   "--worksheet", "--hint",  "--step",
                                                 "--show",    "--transfer",  "--reset", "--format",
                                                 "--section", "--color",     "--lang",  "--help"};
    const std::vector<std::string> all = spelled_out(args, words);
    std::string flags;
    bool is_wanted = false;
    for (const std::string& word : all) {
        if (word == "--") break;
        const bool is_flag = word.rfind("--", 0) == 0;
        if (is_flag) is_wanted = others.count(word) == 0;
        if (is_wanted) flags += " " + (word.find(' ') == std::string::npos ? word : "'" + word + "'");
    }
    return flags;
}

/// Mastery is shown where the answers cannot be remembered from the first round.
void check_transfer(const Sizes& sizes, int lesson) {
    const Sizes first = lesson_sizes(lesson);
    const auto model = [](const ModelConfig& c) {
        return std::tuple(c.hidden_size, c.num_hidden_layers, c.num_attention_heads, c.num_key_value_heads, c.head_dim);
    };
    const bool is_same = model(sizes.config) == model(first.config) && sizes.batch.batch == first.batch.batch &&
                         sizes.batch.seq == first.batch.seq;
    if (!is_same) return;
    throw Error("the transfer round needs other sizes than the lesson's own")
        .at("--transfer")
        .help("leave the flags of sizes out, or use a config that you have not run yet");
}

}  // namespace

void CheckFlags::add(Arguments& args) {
    args_ = &args;
    args.group("worksheet");
    args.text("--check", source_,
              "fill in the worksheet: item by item, or from a file of lines `id = answer` (-: stdin)")
        .value_name("[FILE]")
        .alone_means("");
    args.flag("--worksheet", wants_worksheet_, "print the blank worksheet");
    args.repeated("--hint", hints_, "a hint for an item; given again, the next of its three steps").value_name("ID");
    args.integer("--step", step_, "which step of the hint", {1, 3}).shown_default("");
    args.text("--show", shown_id_, "the right answer of an item, and how it comes about").value_name("ID");
    args.flag("--transfer", transfer_, "the second round, at sizes that no example has");
    args.text("--reset", reset_, "forget what was right so far").value_name("N|all").alone_means("");
    args.group("");
    add_sizes(args);
    args.example("minimind lessons 9 --check", "fill in the worksheet of lesson 9");
    args.example("minimind lessons 9 --worksheet > sheet.txt", "the same in a file ...");
    args.example("minimind lessons 9 --check sheet.txt", "... which is checked here");
    args.example("minimind lessons 9 --hint embed_out --step 2", "the second of three hints");
}

/// The sizes' defaults are the lesson's, which is not known before the flags are read.
void CheckFlags::add_sizes(Arguments& args) {
    model_.add_sizes(args);
    input_.add_batch(args);
    args.value(
            "--seed", [this](const std::string& text) { model_.seed = read_seed(text); },
            "of the fresh weights, for answers that come from a run")
        .value_name("N")
        .shown_default(fmt::format("{}", model_.seed));
}

bool CheckFlags::is_given() const {
    constexpr const char* flags[] = {"--check", "--worksheet", "--hint", "--step", "--show", "--transfer", "--reset"};
    return std::any_of(std::begin(flags), std::end(flags), [this](const char* flag) { return args_->given(flag); });
}

/// The number may also follow --check: `lessons --check 9`.
int CheckFlags::wanted_lesson(std::optional<int> lesson) {
    if (lesson) return *lesson;
    if (!source_.empty() && source_.find_first_not_of("0123456789") == std::string::npos) {
        const std::string number = std::exchange(source_, "");
        return static_cast<int>(read_integer(number, {0, 999'999}));
    }
    Error error("which lesson's worksheet?");
    error.help(fmt::format("minimind lessons {} --check", worksheet_lessons().front()));
    throw error.note(fmt::format("lessons with a worksheet: {}", fmt::join(worksheet_lessons(), ", ")));
}

Sizes CheckFlags::sizes(int lesson) {
    model_.defaults = transfer_ ? transfer_config(lesson) : lesson_config(lesson);
    const Batch batch = transfer_ ? transfer_batch : lesson_batch;
    if (!args_->given("--batch_size")) input_.batch_size = batch.batch;
    if (!args_->given("--seq_len")) input_.seq_len = batch.seq;
    const ModelConfig config = model_.config();
    use_one_thread_for_little(active_parameter_count(config) * input_.batch().tokens());
    return {config, input_.tokens(config).ids.batch, model_.seed};
}

int CheckFlags::run(std::optional<int> lesson, const ConsoleFlags& console, bool is_json,
                    const std::vector<std::string>& words) {
    if (args_->given("--reset")) return forget(lesson, console, is_json);
    if (args_->given("--step") && hints_.empty()) {
        throw Error("--step needs an item").at(fmt::format("--step {}", step_)).help("--hint ID --step 2");
    }
    FilledWorksheet sheet;
    sheet.lesson = wanted_lesson(lesson);
    sheet.round = transfer_ ? Round::transfer : Round::first;
    const std::vector<int>& known = worksheet_lessons();
    if (std::find(known.begin(), known.end(), sheet.lesson) == known.end()) {
        throw Error(fmt::format("lesson {} has no worksheet", sheet.lesson))
            .at(fmt::format("lessons {}", sheet.lesson))
            .note(fmt::format("lessons with a worksheet: {}", fmt::join(known, ", ")));
    }
    sheet.sizes = sizes(sheet.lesson);
    if (transfer_) check_transfer(sheet.sizes, sheet.lesson);
    sheet.flags = size_flags(*args_, words);
    sheet.items = worksheet(sheet.lesson, sheet.sizes);
    sheet.results.resize(sheet.items.size());
    if (wants_worksheet_) return print_worksheet(sheet, console.language(), is_json);
    if (!hints_.empty()) return give_hint(sheet, console.language(), is_json);
    if (args_->given("--show")) return show(sheet, console.language(), is_json);
    return check(sheet, console, is_json);
}

}  // namespace minimind
