// The command `predict`, and the question before a stage is shown.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "console/cells.hpp"
#include "core/error.hpp"
#include "lessons/answers.hpp"
#include "lessons/check_report.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/predict.hpp"
#include "stepper/walk.hpp"

namespace minimind {

namespace {

enum class Reply { answer, skip, hint, show, off };

Reply reply_of(const std::string& line) {
    const std::string word = half_width(line);
    const auto is = [&word](std::initializer_list<const char*> words) {
        return std::ranges::any_of(words, [&word](const char* one) { return word == one; });
    };
    if (is_blank(line) || is({"skip", "next", "跳过"})) return Reply::skip;
    if (is({"hint", "提示"})) return Reply::hint;
    if (is({"show", "答案"})) return Reply::show;
    if (is({"off", "quit", "q", "exit", "退出"})) return Reply::off;
    return Reply::answer;
}

PredictState& state_of(SessionState& session) {
    if (!session.predict) session.predict = std::make_shared<PredictState>();
    return *session.predict;
}

/// "3 of 4 right" and what became of the others.
std::string score_text(const SessionState& session, const PredictState& state) {
    std::string text = fmt::format(fmt::runtime(session.words("{} of {} right at the first try", "一次答对 {}/{}")),
                                   state.right, state.total());
    const auto add = [&](int count, const char* en, const char* zh) {
        if (count > 0) text += session.words(", ", "，") + fmt::format(fmt::runtime(session.words(en, zh)), count);
    };
    add(state.right_later, "{} later", "之后答对 {}");
    add(state.shown, "{} shown", "看答案 {}");
    add(state.skipped, "{} skipped", "跳过 {}");
    return text;
}

/// One question, until it is answered, skipped or shown.
class Question {
  public:
    Question(SessionState& session, Site site, Item item, std::ostream& out)
        : session_(session), state_(state_of(session)), site_(site), item_(std::move(item)), out_(out) {}

    void ask() {
        say(session_.paint.bold(fmt::format(fmt::runtime(session_.words("before {}: ", "{} 之前：")),
                                            short_name(site_, session_.layer))) +
            item_.question.in(session_.language));
        if (state_.asked.empty()) {
            say(session_.paint.dim(session_.words("an answer; Enter skips, hint, show, off do what they say",
                                                  "输入答案；空行跳过，hint 提示，show 看答案，off 关闭提问")));
        }
        state_.asked.insert(item_.id);
        while (!is_over_) {
            const std::optional<std::string> line = session_.ask("predict> ");
            if (!line) {
                ++state_.skipped;
                return;
            }
            obey(*line);
        }
    }

  private:
    void obey(const std::string& line) {
        switch (reply_of(line)) {
            case Reply::skip:
                ++state_.skipped;
                return derive();
            case Reply::hint:
                return hint();
            case Reply::show:
                ++state_.shown;
                return derive();
            case Reply::off:
                ++state_.skipped;
                session_.predict_mode = false;
                is_over_ = true;
                return say(session_.words("no more questions; ", "不再提问；") + score_text(session_, state_));
            case Reply::answer:
                return judge_answer(line);
        }
    }

    void judge_answer(const std::string& line) {
        const Judgement judgement = judge(item_, line, sizes_of_pass(*session_.recording));
        std::string verdict = verdict_text(judgement.verdict, session_.language, session_.paint);
        if (!judgement.message.empty()) verdict += session_.words(": ", "：") + judgement.message.in(session_.language);
        if (judgement.verdict == Verdict::right) {
            ++(tries_ == 0 ? state_.right : state_.right_later);
            is_over_ = true;
            return say(verdict + session_.words(": ", "：") + item_.derivation.in(session_.language) + "  (" +
                       score_text(session_, state_) + ")");
        }
        say(verdict);
        const bool was_read = judgement.verdict == Verdict::wrong || judgement.verdict == Verdict::wrong_unit;
        if (was_read) ++tries_;
    }

    void hint() {
        if (hints_ == item_.hints.size())
            return say(session_.words("that was the last hint; show gives the answer", "提示已经给完；show 看答案"));
        say(item_.hints[hints_++].in(session_.language));
    }

    void derive() {
        is_over_ = true;
        say(answer_text(item_.right) + session_.words(": ", "：") + item_.derivation.in(session_.language));
    }

    void say(const std::string& paragraph) {
        for (const std::string& line : wrap(paragraph, session_.width)) out_ << line << "\n";
    }

    SessionState& session_;
    PredictState& state_;
    Site site_;
    Item item_;
    std::ostream& out_;
    std::size_t hints_ = 0;
    int tries_ = 0;
    bool is_over_ = false;
};

void run_predict(SessionState& session, const std::string& arguments, std::ostream& out) {
    const bool was_on = session.predict_mode;
    if (arguments == "off") {
        session.predict_mode = false;
    } else if (arguments.empty() || arguments == "on") {
        session.predict_mode = true;
    } else {
        throw Error(session.words("predict is on or off", "predict 只有 on 和 off"))
            .at("predict " + arguments)
            .help("predict, predict on, predict off");
    }
    const PredictState& state = state_of(session);
    if (session.predict_mode && !was_on) {
        out << session.words("asks before a stage is shown; `predict off` ends it\n",
                             "显示一个阶段之前先提问；predict off 关闭\n");
        if (session.is_batch) out << session.words("(in batch mode nothing is asked)\n", "（批处理模式下不提问）\n");
    } else if (!session.predict_mode) {
        out << session.words("no more questions\n", "不再提问\n");
    }
    if (state.total() > 0) out << score_text(session, state) << "\n";
}

}  // namespace

StepCommand predict_command() {
    return {"predict",
            {},
            "predict [on|off]",
            {"be asked before a stage is shown", "显示一个阶段之前先让你预测"},
            {"One question a stage: its shape, an axis, who sees whom, a count. Known mistakes are named. Enter skips, "
             "hint "
             "helps, show gives the answer, off ends it. `predict` again tells the score.",
             "每个阶段一个问题：shape、某个轴、谁看得到谁、数量。常见的误解会直接指出。空行跳过，hint 提示，show "
             "看答案，off "
             "关闭。再输入 predict 看得分。"},
            run_predict,
            false,
            false};
}

void before_shown(SessionState& session, Site site, std::ostream& out) {
    if (session.is_batch || !session.ask) return;
    const PredictState& state = state_of(session);
    for (Item& item : questions_before(*session.recording, site)) {
        if (state.asked.contains(item.id)) continue;
        return Question(session, site, std::move(item), out).ask();
    }
}

}  // namespace minimind
