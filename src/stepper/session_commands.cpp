// The commands that are about the session itself: help, save, quit.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "console/cells.hpp"
#include "core/error.hpp"
#include "stepper/picture.hpp"
#include "stepper/session.hpp"

namespace minimind {

std::vector<StepCommand> Session::own_commands() {
    return {
        {"save",
         {},
         "save [--force] FILE",
         {"write the commands of this session to a file, to be run with -x", "把本次会话的命令写入文件，可用 -x 重放"},
         {"The commands that worked are written, one a line. `minimind step -x FILE` runs them again; with --batch it "
          "ends at the first that fails.",
          "写入执行成功的命令，每行一条。minimind step -x FILE 可重放；加 --batch 则在第一条失败的命令处结束。"},
         [this](SessionState&, const std::string& arguments, std::ostream&) { save(arguments); }},
        {"help",
         {"h", "?"},
         "help [COMMAND]",
         {"all commands, or one of them", "列出全部命令，或说明其中一条"},
         {},
         [this](SessionState&, const std::string& name, std::ostream&) {
             name.empty() ? list_commands() : help(name);
         }},
        {"quit",
         {"q", "exit"},
         "quit",
         {"leave (Ctrl-D does, too)", "退出（Ctrl-D 也可以）"},
         {},
         [](SessionState& session, const std::string&, std::ostream&) { session.is_over = true; }},
    };
}

void Session::list_commands() {
    std::size_t widest = 0;
    for (const StepCommand& command : commands_) widest = std::max(widest, command.usage.size());
    widest = std::min<std::size_t>(widest, 28);
    for (const StepCommand& command : commands_) {
        const std::string summary = command.summary.in(state_.language);
        const std::vector<std::string> lines = wrap(summary, std::max<std::size_t>(state_.width - widest - 4, 20));
        std::string usage = command.usage;
        if (usage.size() > widest) {  // on a line of its own
            out_ << "  " << usage << "\n";
            usage.clear();
        }
        for (const std::string& line : lines) {
            out_ << "  " << pad_right(usage, widest) << "  " << line << "\n";
            usage.clear();
        }
    }
    const std::string rules = state_.words(
        "The first letters of a command will do. An empty line repeats the last move. `;;` stands between commands. A "
        "stage is named in full, by alias, or by the end of its name (scores, self_attn.scores), in the current layer "
        "first; a slice follows as in Python: print scores[0,1,:,-1:].",
        "命令可以只写开头几个字母。空行重复上一次移动。多条命令之间用 ;; 隔开。阶段可写全名、别名或名字的结尾部分"
        "（scores、self_attn.scores），优先指当前层；后面可跟 Python 切片：print scores[0,1,:,-1:]。");
    out_ << "\n";
    for (const std::string& line : wrap(rules, state_.width)) out_ << line << "\n";
}

void Session::help(const std::string& name) {
    const StepCommand& command = command_named(name);
    out_ << state_.paint.bold(command.usage);
    if (!command.aliases.empty()) out_ << "   (" << fmt::format("{}", fmt::join(command.aliases, ", ")) << ")";
    out_ << "\n";
    for (const std::string& line : wrap(command.summary.in(state_.language), state_.width)) out_ << line << "\n";
    if (command.help.empty()) return;
    for (const std::string& line : wrap(command.help.in(state_.language), state_.width)) out_ << line << "\n";
}

void Session::save(const std::string& arguments) {
    constexpr std::string_view force = "--force ";
    const bool may_replace = arguments.starts_with(force);
    const std::string file =
        may_replace ? arguments.substr(arguments.find_first_not_of(' ', force.size() - 1)) : arguments;
    if (file.empty()) throw Error("a file's name is missing").help("save FILE");
    if (!may_replace && file != saved_ && std::filesystem::exists(file)) {
        throw Error("this file is there already").at(file).help("save --force " + file);
    }
    std::ofstream stream(file);
    stream << "# " << command_line_ << "\n";
    for (const std::string& line : history_) stream << line << "\n";
    stream.close();
    if (!stream) throw Error("the file could not be written").at(file).exit_code(1);
    saved_ = file;
    out_ << fmt::format(fmt::runtime(state_.words("{} commands in {}\n", "{} 条命令已写入 {}\n")), history_.size(),
                        file);
}

}  // namespace minimind
