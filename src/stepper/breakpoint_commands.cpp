// The commands break and delete.
#include <fmt/format.h>

#include <ostream>

#include "core/error.hpp"
#include "stepper/walk.hpp"

namespace minimind {

namespace {

void list_breakpoints(const SessionState& session, std::ostream& out) {
    if (session.walk->breakpoints.empty()) {
        out << session.words("no breakpoints; break STAGE sets one\n", "没有断点；break STAGE 可以设置\n");
    }
    for (const Breakpoint& breakpoint : session.walk->breakpoints) {
        out << fmt::format("{:>3}  {}\n", breakpoint.number, breakpoint.text());
    }
}

void set_breakpoint(SessionState& session, const std::string& argument, std::ostream& out) {
    if (argument.empty()) return list_breakpoints(session, out);
    Breakpoint breakpoint = parse_breakpoint(session, argument);
    breakpoint.number = session.walk->next_number++;
    out << fmt::format(fmt::runtime(session.words("breakpoint {}: {}\n", "断点 {}：{}\n")), breakpoint.number,
                       breakpoint.text());
    session.walk->breakpoints.push_back(std::move(breakpoint));
}

void delete_breakpoint(SessionState& session, const std::string& argument, std::ostream&) {
    std::vector<Breakpoint>& breakpoints = session.walk->breakpoints;
    if (argument.empty()) return breakpoints.clear();
    const auto removed =
        std::erase_if(breakpoints, [&](const Breakpoint& b) { return std::to_string(b.number) == argument; });
    if (removed == 0) throw Error("there is no breakpoint " + argument).at(argument).help("`break` lists them");
}

}  // namespace

std::vector<StepCommand> breakpoint_commands() {
    return {
        {"break",
         {},
         "break [STAGE [if nan|inf|max>X]]",
         {"stop at a stage, always or on a condition; alone: list them", "在某阶段停下，可带条件；不带参数则列出断点"},
         {"Conditions: nan, inf, and max, min, mean, std or rms with > or <. A short name means the stage in every "
          "layer; * stands for any characters.",
          "条件：nan、inf，或 max、min、mean、std、rms 加 > 或 <。短名字指每一层的该阶段；* 代表任意字符。"},
         set_breakpoint,
         false,
         true},
        {"delete", {}, "delete [N]", {"remove breakpoint N, or all", "删除断点 N，或全部"}, {}, delete_breakpoint},
    };
}

}  // namespace minimind
