// The commands that move: step, back, next, finish, goto, until, continue, layer.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "console/numbers.hpp"
#include "core/error.hpp"
#include "stepper/picture.hpp"
#include "stepper/walk.hpp"

namespace minimind {

namespace {

bool is_inside_attention(Point point) {
    return point >= Point::q_proj && point <= Point::o_proj;
}

bool is_inside_mlp(Point point) {
    return point >= Point::gate_proj && point <= Point::expert;
}

/// The part of the block that a stage is inside of: its result, or the stage itself if it stands on the block's level.
Point level_of(Point point) {
    if (is_inside_attention(point)) return Point::self_attn;
    if (is_inside_mlp(point)) return Point::mlp;
    return point;
}

std::int64_t count_of(const std::string& argument) {
    if (argument.empty()) return 1;
    try {
        return read_integer(argument, {1, 1'000'000});
    } catch (Error& error) {
        throw error.at(argument).help("how many stages to go: 1, 5");
    }
}

void no_arguments(const std::string& arguments, const std::string& command) {
    if (!arguments.empty()) throw Error(command + " takes nothing after it").at(arguments).help(command);
}

void show_at(SessionState& session, std::size_t at, std::ostream& out) {
    show_stage(session, session.recording->stage(at).site(), out);
}

const Breakpoint* breakpoint_at(const SessionState& session, std::size_t at) {
    for (const Breakpoint& breakpoint : session.walk->breakpoints) {
        if (breakpoint.stops_at(session.recording->stage(at))) return &breakpoint;
    }
    return nullptr;
}

void say_where_it_stopped(const SessionState& session, const Breakpoint& breakpoint, std::ostream& out) {
    out << fmt::format(fmt::runtime(session.words("breakpoint {}: {}\n", "断点 {}：{}\n")), breakpoint.number,
                       breakpoint.text());
}

std::size_t last_stage(const SessionState& session) {
    return session.recording->stages().size() - 1;
}

void check_not_at_end(const SessionState& session) {
    if (session.at < last_stage(session)) return;
    throw Error(session.words("this is the last stage", "这已经是最后一个阶段"))
        .help(session.words("back goes back, goto goes anywhere", "back 后退，goto 去任意阶段"));
}

/// Forwards to `target`, or to a breakpoint on the way.
void run_to(SessionState& session, std::size_t target, std::ostream& out) {
    for (std::size_t at = session.at + 1; at < target; ++at) {
        const Breakpoint* breakpoint = breakpoint_at(session, at);
        if (breakpoint == nullptr) continue;
        say_where_it_stopped(session, *breakpoint, out);
        return show_at(session, at, out);
    }
    show_at(session, target, out);
}

void step(SessionState& session, const std::string& argument, std::ostream& out) {
    const std::int64_t count = count_of(argument);
    check_not_at_end(session);
    run_to(session, std::min(session.at + static_cast<std::size_t>(count), last_stage(session)), out);
}

void back(SessionState& session, const std::string& argument, std::ostream& out) {
    const auto count = static_cast<std::size_t>(count_of(argument));
    if (session.at == 0) {
        throw Error(session.words("this is the first stage", "这已经是第一个阶段"))
            .help(session.words("step goes on", "step 前进"));
    }
    show_at(session, session.at - std::min(session.at, count), out);
}

/// The next stage that is not inside of attention or MLP, unless we are in there already.
std::size_t next_on_level(const SessionState& session, std::size_t at) {
    const Site here = session.recording->stage(at).site();
    std::size_t next = at + 1;
    const auto site = [&] { return session.recording->stage(next).site(); };
    if (level_of(here.point) != here.point) return next;  // inside: stage by stage
    while (next < last_stage(session) && level_of(site().point) != site().point) ++next;
    return next;
}

void next(SessionState& session, const std::string& argument, std::ostream& out) {
    check_not_at_end(session);
    std::size_t target = session.at;
    for (std::int64_t i = count_of(argument); i > 0 && target < last_stage(session); --i) {
        target = next_on_level(session, target);
    }
    run_to(session, target, out);
}

void finish(SessionState& session, const std::string& arguments, std::ostream& out) {
    no_arguments(arguments, "finish");
    const Site here = session.stage().site();
    Site target{level_of(here.point), here.layer};
    if (here.layer >= 0 && target.point == here.point) target.point = Point::resid_post;
    if (here.layer < 0 || target == here) {
        throw Error(session.words("there is nothing to finish here", "这里没有可以走完的部分"))
            .note(session.words("finish goes to the end of attention, of the MLP, or of the block",
                                "finish 走到注意力、MLP 或本层的末尾"))
            .help("step");
    }
    run_to(session, session.recording->find(target), out);
}

void go_to(SessionState& session, const std::string& name, std::ostream& out) {
    if (name.empty()) throw Error("a stage is missing").help("goto STAGE, as in: goto scores");
    show_stage(session, site_named(session, name), out);
}

/// The next stage of that name on the way, in this layer or a later one.
void until(SessionState& session, const std::string& name, std::ostream& out) {
    if (name.empty()) throw Error("a stage is missing").help("until STAGE, as in: until scores");
    for (std::size_t at = session.at + 1; at <= last_stage(session); ++at) {
        if (matches(name, session.recording->stage(at).site())) return run_to(session, at, out);
    }
    const std::string full = site_name(site_named(session, name));
    throw Error(session.words(full + " is not ahead", full + " 不在前方")).at(name).help("goto " + name);
}

void go_on(SessionState& session, const std::string& arguments, std::ostream& out) {
    no_arguments(arguments, "continue");
    check_not_at_end(session);
    for (std::size_t at = session.at + 1; at <= last_stage(session); ++at) {
        const Breakpoint* breakpoint = breakpoint_at(session, at);
        if (breakpoint == nullptr) continue;
        say_where_it_stopped(session, *breakpoint, out);
        return show_at(session, at, out);
    }
    show_at(session, last_stage(session), out);
}

/// The same stage in another layer; from outside the blocks its first stage.
void layer(SessionState& session, const std::string& argument, std::ostream& out) {
    const auto layers = session.config().num_hidden_layers;
    if (argument.empty()) {
        out << fmt::format(fmt::runtime(session.words("layer {} of {}: 0 to {}\n", "第 {} 层，共 {} 层：0 到 {}\n")),
                           session.layer, layers, layers - 1);
        return;
    }
    Site target = session.stage().site();
    try {
        target.layer = static_cast<int>(read_integer(argument, {0, layers - 1}));
    } catch (Error& error) {
        throw error.at("layer " + argument)
            .help(layers == 1 ? "the model has one layer: 0" : fmt::format("use 0 to {}", layers - 1));
    }
    if (!session.recording->has(target)) target = {Point::resid_pre, target.layer};
    show_stage(session, target, out);
}

}  // namespace

void show_stage(SessionState& session, Site site, std::ostream& out) {
    const TensorView values = values_of(session, site, out);
    session.at = session.recording->find(site);
    if (site.layer >= 0) session.layer = site.layer;
    if (session.predict_mode) before_shown(session, site, out);
    out << picture(session, values);
}

std::vector<StepCommand> walk_commands() {
    std::vector<StepCommand> commands = {
        {"step", {"s"}, "step [N]", {"on by one stage, or N", "前进一个（或 N 个）阶段"}, {}, step},
        {"back",
         {"b"},
         "back [N]",
         {"back by one stage, or N; nothing is computed again", "后退一个（或 N 个）阶段，不重新计算"},
         {},
         back},
        {"next",
         {"n"},
         "next [N]",
         {"on, over the inside of attention or MLP", "前进，跳过注意力或 MLP 内部"},
         {"From inside of one it goes stage by stage.", "已在内部时逐个阶段前进。"},
         next},
        {"finish", {}, "finish", {"to the end of attention, MLP or block", "走到注意力、MLP 或本层的末尾"}, {}, finish},
        {"goto", {"g"}, "goto STAGE", {"to any stage, forwards or backwards", "跳到任意阶段，前后皆可"}, {}, go_to},
        {"until",
         {"u"},
         "until STAGE",
         {"on to the next stage of that name", "前进到下一个叫这个名字的阶段"},
         {},
         until},
        {"continue",
         {"c"},
         "continue",
         {"on to the next breakpoint, or the end", "前进到下一个断点，或到结尾"},
         {},
         go_on},
        {"layer",
         {},
         "layer [N]",
         {"the same stage in layer N", "第 N 层的同一阶段"},
         {"If the values of that layer are not kept, it is recorded again.", "如果没有保留该层的数值，会重新录制。"},
         layer},
    };
    for (StepCommand& command : commands) command.is_navigation = true;
    for (StepCommand& command : commands) command.takes_stages = command.name == "goto" || command.name == "until";
    for (StepCommand& command : breakpoint_commands()) commands.push_back(std::move(command));
    return commands;
}

}  // namespace minimind
