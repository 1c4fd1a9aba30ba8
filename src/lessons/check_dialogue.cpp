#include "lessons/check_dialogue.hpp"

#include <fmt/format.h>

#include <istream>
#include <map>
#include <ostream>

#include "console/called_as.hpp"
#include "console/cells.hpp"

namespace minimind {

namespace {

enum class Command { answer, skip, hint, show, back, quit, help };

/// What a line asks for; the names are the same in every language, and Chinese has its own beside them.
Command command_of(const std::string& line) {
    static const std::map<std::string, Command> commands = {
        {"", Command::skip},     {"skip", Command::skip}, {"next", Command::skip}, {"跳过", Command::skip},
        {"hint", Command::hint}, {"提示", Command::hint}, {"show", Command::show}, {"答案", Command::show},
        {"back", Command::back}, {"返回", Command::back}, {"quit", Command::quit}, {"exit", Command::quit},
        {"q", Command::quit},    {"退出", Command::quit}, {"help", Command::help}, {"?", Command::help},
        {"帮助", Command::help}};
    const auto found = commands.find(half_width(line));
    return found == commands.end() ? Command::answer : found->second;
}

/// One sitting at a worksheet.
class Dialogue {
  public:
    Dialogue(FilledWorksheet& sheet, std::istream& in, std::ostream& out, const DialogueStyle& style,
             const std::function<void(const Item&, const Judgement&)>& on_answer)
        : sheet_(sheet), in_(in), out_(out), style_(style), on_answer_(on_answer), hints_(sheet.items.size(), 0) {}

    void run() {
        greet();
        at_ = next_open(0);
        if (at_ == sheet_.items.size()) at_ = 0;  // all are right already: from the start
        while (at_ < sheet_.items.size() && !is_over_) ask();
        if (is_at_end_) out_ << "\n";
    }

  private:
    Language language() const { return style_.language; }
    std::string words(const char* en, const char* zh) const { return text(style_.language, en, zh); }

    void greet() {
        say(fmt::format(fmt::runtime(words("Lesson {}, worksheet: {} items{}.", "第 {} 课练习，共 {} 题{}。")),
                        sheet_.lesson, sheet_.items.size(),
                        sheet_.round == Round::transfer
                            ? words(", at sizes that no example has", "，用的是例子里没有出现过的尺寸")
                            : ""));
        say(words("The sizes: ", "尺寸：") + sizes_text(sheet_.sizes));
        say(letters_text(sheet_.sizes, language()));
        say_help();
        const std::size_t open = next_open(0);
        if (open > 0 && open < sheet_.items.size()) {
            say(words("What was right before is not asked again; `back` returns to it.",
                      "之前答对的题不再问；用 back 可以回到前面。"));
        }
    }

    void say_help() {
        say(words("Type an answer. An empty line skips the item; hint, show, back, quit do what they say.",
                  "请输入答案。空行跳过本题；hint 提示（共三步），show 看解答，back 上一题，quit 退出。"));
    }

    /// The question, and the line that answers it.
    void ask() {
        const Item& item = sheet_.items[at_];
        if (at_ != shown_) {
            out_ << "\n"
                 << style_.paint.bold(fmt::format("{:>2}/{}  {}", at_ + 1, sheet_.items.size(), item.id)) << "\n";
            say(item.question.in(language()));
            if (sheet_.results[at_].is_right()) {
                reply(words("right already; an empty line goes on", "这题已经答对；空行继续"));
            }
            shown_ = at_;
        }
        out_ << "> " << std::flush;
        std::string line;
        if (!std::getline(in_, line)) {
            is_over_ = is_at_end_ = true;
            return;
        }
        obey(item, line);
    }

    void obey(const Item& item, const std::string& line) {
        switch (command_of(line)) {
            case Command::answer:
                return judge_answer(item, line);
            case Command::skip:
                return go_on();
            case Command::hint:
                return give_hint(item);
            case Command::show:
                reply(style_.paint.bold(answer_text(item.right)));
                reply(item.derivation.in(language()));
                return go_on();
            case Command::back:
                if (at_ == 0) return reply(words("this is the first item", "这已经是第一题"));
                --at_;
                return;
            case Command::quit:
                is_over_ = true;
                return;
            case Command::help:
                return say_help();
        }
    }

    void judge_answer(const Item& item, const std::string& line) {
        ItemResult& result = sheet_.results[at_];
        const Judgement judgement = judge(item, line, sheet_.sizes);
        if (judgement.verdict == Verdict::blank) return go_on();
        std::string verdict = verdict_text(judgement.verdict, language(), style_.paint);
        if (!judgement.message.empty()) verdict += words(": ", "：") + judgement.message.in(language());
        reply(verdict);
        on_answer_(item, judgement);
        if (!result.is_right()) result = {line, judgement, false};  // what is right stays right
        if (judgement.verdict == Verdict::right) return go_on();
        if (judgement.message.empty()) reply(words("try again, or: hint, show", "再试一次，或者：hint、show"));
    }

    void give_hint(const Item& item) {
        int& given = hints_[at_];
        if (given == 3) {
            return reply(words("there are three hints, and these were they; `show` gives the answer",
                               "三步提示已经给完；show 可以看解答"));
        }
        const std::string hint = item.hints[static_cast<std::size_t>(given)].in(language());
        ++given;
        reply(fmt::format(fmt::runtime(words("hint {} of 3: {}", "提示 {}/3：{}")), given, hint));
    }

    /// To the next item that is not right; from the last one, the end.
    void go_on() { at_ = next_open(at_ + 1); }

    std::size_t next_open(std::size_t from) const {
        while (from < sheet_.items.size() && sheet_.results[from].is_right()) ++from;
        return from;
    }

    void say(const std::string& paragraph) { print(paragraph, ""); }
    void reply(const std::string& paragraph) { print(paragraph, "  "); }
    void print(const std::string& paragraph, const std::string& indent) {
        const std::string called = as_called(paragraph);  // a derivation may name a command
        for (const std::string& line : wrap(called, style_.width - indent.size())) out_ << indent << line << "\n";
    }

    FilledWorksheet& sheet_;
    std::istream& in_;
    std::ostream& out_;
    const DialogueStyle& style_;
    const std::function<void(const Item&, const Judgement&)>& on_answer_;
    std::vector<int> hints_;  // given so far, for each item
    std::size_t at_ = 0;
    std::size_t shown_ = static_cast<std::size_t>(-1);  // the item whose question is on the screen
    bool is_over_ = false;
    bool is_at_end_ = false;  // of the input
};

}  // namespace

void run_dialogue(FilledWorksheet& sheet, std::istream& in, std::ostream& out, const DialogueStyle& style,
                  const std::function<void(const Item&, const Judgement&)>& on_answer) {
    sheet.results.resize(sheet.items.size());
    Dialogue(sheet, in, out, style, on_answer).run();
}

}  // namespace minimind
