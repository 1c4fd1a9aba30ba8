// What the flags of check.hpp do.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "console/called_as.hpp"
#include "console/cells.hpp"
#include "console/errors.hpp"
#include "console/numbers.hpp"
#include "core/error.hpp"
#include "lessons/check.hpp"
#include "lessons/check_dialogue.hpp"
#include "lessons/check_sheet.hpp"

namespace minimind {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t last_step = 3;  // of the hints

void print_notes(const std::vector<Words>& notes, const ConsoleFlags& console) {
    for (const Words& note : notes) print_note(note.in(console.language()), console.color());
}

std::size_t text_width() {
    return std::min<std::size_t>(terminal_width(), 100);
}

/// In lines as wide as the terminal.
void print_paragraph(const std::string& paragraph) {
    for (const std::string& line : wrap(as_called(paragraph), text_width())) fmt::print("{}\n", line);
}

/// With `right` marked where an earlier sitting was right.
void mark_right_before(FilledWorksheet& sheet, const Progress& progress) {
    for (std::size_t i = 0; i < sheet.items.size(); ++i) {
        sheet.results[i].was_right_before = progress.of(sheet.lesson, sheet.items[i].id, sheet.round).right;
    }
}

/// Asks at the terminal; what was answered is kept answer by answer, so that no interruption loses it.
void ask(FilledWorksheet& sheet, const ConsoleFlags& console, std::ostream& out) {
    const ProgressStore store = ProgressStore::of_user();
    std::vector<Words> notes;
    mark_right_before(sheet, store.load(notes));
    print_notes(notes, console);
    bool is_noted = false;
    const auto keep = [&](const Item& item, const Judgement& judgement) {
        if (judgement.verdict == Verdict::unreadable) return;
        const std::vector<Words> trouble =
            store.record({{sheet.lesson, item.id, sheet.round, judgement.verdict == Verdict::right, tells_apart(item),
                           verdict_name(judgement.verdict)}});
        if (!is_noted) print_notes(trouble, console);  // once is enough
        is_noted = is_noted || !trouble.empty();
    };
    const DialogueStyle style{console.language(), console.paint(), text_width()};
    run_dialogue(sheet, std::cin, out, style, keep);
}

void judge_sheet(FilledWorksheet& sheet, const std::string& source, const ConsoleFlags& console) {
    const std::string where = source == "-" ? "standard input" : source;
    const std::map<std::string, std::string> answers = read_sheet(sheet_text(source), where, sheet.items);
    for (std::size_t i = 0; i < sheet.items.size(); ++i) {
        const auto found = answers.find(sheet.items[i].id);
        if (found == answers.end()) continue;
        sheet.results[i] = {found->second, judge(sheet.items[i], found->second, sheet.sizes), false};
    }
    print_notes(ProgressStore::of_user().record(attempts_of(sheet)), console);
}

}  // namespace

int CheckFlags::check(FilledWorksheet& sheet, const ConsoleFlags& console, bool is_json) const {
    const bool asks = source_.empty() && isatty(STDIN_FILENO) == 1;
    if (asks) {
        ask(sheet, console, is_json ? std::cerr : std::cout);
        std::cout.flush();
    } else {
        judge_sheet(sheet, source_.empty() ? "-" : source_, console);
    }
    const Language language = console.language();
    if (is_json) {
        fmt::print("{}\n", result_json(sheet, language).dump(2));
    } else {
        if (!asks) fmt::print("{}", result_lines(sheet, language, console.paint()));
        fmt::print("\n{}", result_summary(sheet, language));
        if (asks && !sheet.is_all_right()) {
            fmt::print("{}{}", text(language, "On with the worksheet: ", "继续做练习："),
                       as_called("`" + command_with(sheet, "--check") + "`\n"));
        }
    }
    return sheet.is_all_right() ? 0 : 1;
}

int CheckFlags::print_worksheet(const FilledWorksheet& sheet, Language language, bool is_json) const {
    if (is_json) {
        fmt::print("{}\n", result_json(sheet, language).dump(2));
    } else {
        fmt::print("{}", blank_sheet(sheet.lesson, sheet.items, sheet.sizes, language));
        // A sheet at other sizes has to be checked at these sizes.
        fmt::print("\n# {}{}\n# {}{}\n", text(language, "to check it: ", "检查："),
                   as_called("`" + command_with(sheet, "--check FILE") + "`"), text(language, "for a hint: ", "提示："),
                   as_called("`" + command_with(sheet, "--hint ID") + "`"));
    }
    return 0;
}

int CheckFlags::give_hint(const FilledWorksheet& sheet, Language language, bool is_json) const {
    const std::string& id = hints_.front();
    if (std::any_of(hints_.begin(), hints_.end(), [&id](const std::string& other) { return other != id; })) {
        throw Error("a hint is for one item at a time").at("--hint " + hints_.back());
    }
    const Item& item = find_item(sheet.items, id, "--hint " + id);
    const std::int64_t repeated = std::min(static_cast<std::int64_t>(hints_.size()), last_step);
    const std::int64_t step = step_ > 0 ? step_ : repeated;
    const std::string hint = item.hints[static_cast<std::size_t>(step - 1)].in(language);
    const std::string next = step < last_step ? fmt::format("--hint {} --step {}", id, step + 1) : "--show " + id;
    if (is_json) {
        const Json json = {
            {"lesson", sheet.lesson}, {"id", id}, {"step", step}, {"hint", hint}, {"next", command_with(sheet, next)}};
        fmt::print("{}\n", json.dump(2));
        return 0;
    }
    print_paragraph(item.question.in(language));
    print_paragraph(
        fmt::format(fmt::runtime(text(language, "hint {} of {}: {}", "提示 {}/{}：{}")), step, last_step, hint));
    fmt::print("{}{}\n",
               text(language, step < last_step ? "More: " : "The answer: ", step < last_step ? "再进一步：" : "解答："),
               as_called("`" + command_with(sheet, next) + "`"));
    return 0;
}

int CheckFlags::show(const FilledWorksheet& sheet, Language language, bool is_json) const {
    const Item& item = find_item(sheet.items, shown_id_, "--show " + shown_id_);
    if (is_json) {
        const Json json = {{"lesson", sheet.lesson},
                           {"id", item.id},
                           {"answer", answer_text(item.right)},
                           {"derivation", item.derivation.in(language)}};
        fmt::print("{}\n", json.dump(2));
        return 0;
    }
    print_paragraph(item.question.in(language));
    fmt::print("{}\n", answer_text(item.right));
    print_paragraph(item.derivation.in(language));
    return 0;
}

int CheckFlags::forget(std::optional<int> lesson, const ConsoleFlags& console, bool is_json) const {
    const bool is_all = reset_ == "all";
    std::optional<int> one = lesson;
    if (!reset_.empty() && !is_all) one = static_cast<int>(read_integer(reset_, {0, 999'999}));
    if (!is_all && !one)
        throw Error("forget what?").at("--reset").help("--reset 9 forgets lesson 9, --reset all everything");
    const std::vector<Words> notes = ProgressStore::of_user().forget(is_all ? std::nullopt : one);
    print_notes(notes, console);
    if (is_json) {
        const Json json = {{"forgotten", is_all ? Json("all") : Json(*one)}, {"saved", notes.empty()}};
        fmt::print("{}\n", json.dump(2));
    } else if (notes.empty()) {
        const std::string what =
            is_all ? text(console.language(), "all lessons", "所有课")
                   : fmt::format(fmt::runtime(text(console.language(), "lesson {}", "第 {} 课")), *one);
        fmt::print("{}{}\n", text(console.language(), "Forgotten: ", "已清除进度："), what);
    }
    return notes.empty() ? 0 : 1;
}

}  // namespace minimind
