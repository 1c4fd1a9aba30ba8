// The commands that change a stage and run the rest again: ablate, scale, set; undo and edits.
#include <fmt/format.h>

#include <limits>
#include <ostream>

#include "console/cells.hpp"
#include "console/numbers.hpp"
#include "core/error.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/rerun_text.hpp"

namespace minimind {

namespace {

/// Runs again and shows what moved.
void rerun_and_show(SessionState& session, std::vector<StageEdit> edits, int layer, std::ostream& out) {
    const std::shared_ptr<const Recording> before = session.recording;
    rerun(session, std::move(edits));
    out << effect_text(session, *before, layer);
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
        throw Error(command + session.words(" needs a stage and a number", " 需要一个阶段和一个数"))
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
        throw Error(session.words("there is nothing to undo", "没有可撤销的修改"))
            .note(session.words("no stage was changed", "没有修改过任何阶段"))
            .help("ablate self_attn, scale z[:,1] 2, set ...");
    }
    if (!arguments.empty() && arguments != "all")
        throw Error(session.words("undo takes nothing, or `all`", "undo 后面什么也不写，或写 all"))
            .at("undo " + arguments)
            .help("undo");
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
