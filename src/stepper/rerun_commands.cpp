// The commands that change a stage and run the rest again: ablate, scale, set; undo and edits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "console/cells.hpp"
#include "console/numbers.hpp"
#include "core/error.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/picture.hpp"
#include "stepper/rerun_effect.hpp"
#include "stepper/walk.hpp"
#include "stepper/where_token.hpp"

namespace minimind {

namespace {

constexpr std::size_t name_width = 36;
constexpr double bar_cells = 16.0;
constexpr std::int64_t most_rows = 4;  // of the batch, whose next token is shown

/// Full at 1, where the change is as large as what was there.
std::string bar(double relative) {
    if (!(relative > 0.0)) return "";
    const double cells = std::ceil(bar_cells * std::min(relative, 1.0));
    return std::string(static_cast<std::size_t>(cells), '#') + (relative > 1.0 ? "+" : "");
}

class Effect {
  public:
    Effect(const SessionState& session, const Recording& before, std::ostream& out)
        : session_(session), before_(before), after_(*session.recording), out_(out) {}

    void show(int layer) {
        const std::vector<StageChange> changes = changes_between(before_, after_, layer);
        const auto changed = std::ranges::count_if(changes, &StageChange::is_changed);
        if (changed == 0) {
            out_ << session_.words("nothing changed: the values were these already\n",
                                   "没有任何变化：原来就是这些值\n");
            return;
        }
        out_ << session_.paint.dim(pad_right(session_.words("stage", "阶段"), name_width) +
                                   pad_left(session_.words("max |change|", "最大变化"), 13) +
                                   pad_left(session_.words("relative", "相对变化"), 11))
             << "\n";
        for (const StageChange& change : changes) {
            if (change.is_changed()) line(change, layer);
        }
        note(layer, std::ssize(changes) - changed);
        consequences();
    }

  private:
    void line(const StageChange& change, int layer) {
        std::string row = pad_right(short_name(change.site, layer), name_width);
        if (change.difference) {
            const double relative = change.difference->relative();
            row += fmt::format("{:>13}{:>11}  ", number_text(change.difference->max_abs),
                               fmt::format("{:.2g}", relative)) +
                   bar(relative);
        } else {
            const auto tokens = [](const Shape& shape) { return shape.empty() ? 0 : shape[0]; };
            row += "  " + fmt::format(fmt::runtime(session_.words("other tokens: {} -> {}", "换了 token：{} -> {}")),
                                      tokens(change.before), tokens(change.after));
        }
        while (row.ends_with(' ')) row.pop_back();
        out_ << row << "\n";
    }

    void note(int layer, std::ptrdiff_t unchanged) {
        const std::string text = fmt::format(
            fmt::runtime(session_.words(
                "relative: rms of the change / rms before. {} stages of layer {} and outside are unchanged; "
                "of other layers only the writes and the stream are shown.",
                "相对变化：变化量的 RMS / 原来的 RMS。第 {1} 层及各层之外有 {0} 个阶段没有变；其他层只列出写入"
                "的增量和残差流。")),
            unchanged, layer);
        for (const std::string& part : wrap(text, session_.width)) out_ << session_.paint.dim(part) << "\n";
    }

    void consequences() {
        if (before_.loss() && after_.loss()) {
            out_ << fmt::format("loss  {:.6g} -> {:.6g}  ({:+.3g})\n", before_.loss()->mean, after_.loss()->mean,
                                after_.loss()->mean - before_.loss()->mean);
        }
        const std::int64_t rows = std::min(before_.batch().batch, most_rows);
        for (std::int64_t row = 0; row < rows; ++row) {
            const NextToken old = next_token(before_, row);
            const NextToken now = next_token(after_, row);
            out_ << fmt::format(fmt::runtime(session_.words("next token of row {}: {} (p {:.3g})",
                                                            "第 {} 行的下一个 token：{}（p {:.3g}）")),
                                row, token_name(session_, old.id), old.probability);
            if (now.id == old.id) {
                out_ << fmt::format(fmt::runtime(session_.words(" stays (p {:.3g})", " 不变（p {:.3g}）")),
                                    now.probability);
            } else {
                out_ << fmt::format(" -> {} (p {:.3g})", token_name(session_, now.id), now.probability);
            }
            out_ << "\n";
        }
    }

    const SessionState& session_;
    const Recording& before_;
    const Recording& after_;
    std::ostream& out_;
};

/// Runs again and shows what moved.
void rerun_and_show(SessionState& session, std::vector<StageEdit> edits, int layer, std::ostream& out) {
    const std::shared_ptr<const Recording> before = session.recording;
    rerun(session, std::move(edits));
    Effect(session, *before, out).show(layer);
}

void add_edit(SessionState& session, StageEdit::Action action, const StageArgument& argument, double value,
              std::ostream& out) {
    check_editable(argument.site, argument.text);
    select(argument.slice, session.recording->stage(session.recording->find(argument.site)).record.shape,
           argument.text);
    values_of(session, argument.site, out);  // so that its layer is the one that is compared
    StageEdit edit{argument.site, action, value, argument.slice};
    std::vector<StageEdit> edits = session.recording->edits();
    edits.push_back(edit);
    rerun_and_show(session, std::move(edits), argument.site.layer < 0 ? session.layer : argument.site.layer, out);
    const std::string count = fmt::format(
        fmt::runtime(session.words("edits in force: {}; `undo` takes back: {}", "当前共 {} 处修改；undo 将撤销：{}")),
        session.recording->edits().size(), edit.text());
    for (const std::string& part : wrap(count, session.width)) out << session.paint.dim(part) << "\n";
}

/// "STAGE[slice] x". Throws Error if the number is missing.
std::pair<StageArgument, double> stage_and_number(const SessionState& session, const std::string& command,
                                                  const std::string& arguments) {
    constexpr double most = std::numeric_limits<float>::max();
    const auto [stage, number] = first_argument(arguments);
    if (number.empty()) {
        throw Error(command + " needs a stage and a number")
            .at(command + " " + arguments)
            .help(command == "scale" ? "scale z[:,1] 2" : "set resid_mid[0,3,5] 10");
    }
    const StageArgument argument = stage_argument(session, stage);
    try {
        return {argument, read_real(number, {-most, most})};
    } catch (Error& error) {
        throw error.at(command + " " + arguments);
    }
}

void run_undo(SessionState& session, const std::string& arguments, std::ostream& out) {
    std::vector<StageEdit> edits = session.recording->edits();
    if (edits.empty()) {
        throw Error("there is nothing to undo")
            .note("no stage was changed")
            .help("ablate self_attn, scale z[:,1] 2, set ...");
    }
    if (!arguments.empty() && arguments != "all")
        throw Error("undo takes nothing, or `all`").at("undo " + arguments).help("undo");
    const int layer = edits.back().site.layer < 0 ? session.layer : edits.back().site.layer;
    do {
        out << session.words("taken back: ", "已撤销：") << edits.back().text() << "\n";
        edits.pop_back();
    } while (arguments == "all" && !edits.empty());
    rerun_and_show(session, std::move(edits), layer, out);
}

void run_edits(SessionState& session, const std::string&, std::ostream& out) {
    for (const StageEdit& edit : session.recording->edits()) out << edit.text() << "\n";
    if (session.recording->edits().empty()) out << session.words("no stage was changed\n", "没有修改过任何阶段\n");
}

}  // namespace

std::vector<StepCommand> edit_commands() {
    using Action = StageEdit::Action;
    const Words help = {
        "Runs again from there with the changed values, and shows how far the rest moved. Edits add up; "
        "`undo` takes the last one back.",
        "用改过的值从这里重新计算，并显示其余阶段变了多少。修改会累加；undo 撤销最后一处。"};
    const auto ablate = [](SessionState& session, const std::string& arguments, std::ostream& out) {
        add_edit(session, Action::zero, stage_argument(session, arguments), 0.0, out);
    };
    const auto scale = [](SessionState& session, const std::string& arguments, std::ostream& out) {
        const auto [argument, number] = stage_and_number(session, "scale", arguments);
        add_edit(session, Action::scale, argument, number, out);
    };
    const auto set = [](SessionState& session, const std::string& arguments, std::ostream& out) {
        const auto [argument, number] = stage_and_number(session, "set", arguments);
        add_edit(session, Action::set, argument, number, out);
    };
    return {{"ablate",
             {},
             "ablate STAGE[slice]",
             {"set it to 0 and run the rest again", "置 0，然后重算其余部分"},
             help,
             ablate,
             false,
             true},
            {"scale",
             {},
             "scale STAGE[slice] X",
             {"multiply it by X and run the rest again", "乘以 X，然后重算其余部分"},
             help,
             scale,
             false,
             true},
            {"set",
             {},
             "set STAGE[slice] VALUE",
             {"set it to a number and run the rest again", "改为某个数，然后重算其余部分"},
             help,
             set,
             false,
             true},
            {"undo", {}, "undo [all]", {"take back the last edit", "撤销最后一处修改"}, {}, run_undo, false, false},
            {"edits", {}, "edits", {"the edits in force", "列出当前的修改"}, {}, run_edits, false, false}};
}

}  // namespace minimind
