#include "stepper/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <ostream>

#include "console/cells.hpp"
#include "console/errors.hpp"
#include "core/error.hpp"
#include "lessons/written_answer.hpp"
#include "stepper/picture.hpp"
#include "stepper/walk.hpp"

namespace minimind {

namespace {

constexpr const char* prompt = "(step) ";

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// The commands of a line, between `;;`.
std::vector<std::string> split_commands(const std::string& line) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = line.find(";;"); end != std::string::npos; end = line.find(";;", begin)) {
        parts.push_back(trimmed(line.substr(begin, end - begin)));
        begin = end + 2;
    }
    parts.push_back(trimmed(line.substr(begin)));
    return parts;
}

}  // namespace

Session::Session(SessionState state, std::ostream& out, std::string command_line)
    : state_(std::move(state)), out_(out), command_line_(std::move(command_line)) {
    if (!state_.walk) state_.walk = std::make_shared<WalkState>();
    const auto ask_reader = [this](const std::string& question) -> std::optional<std::string> {
        if (state_.is_batch || reader_ == nullptr) return std::nullopt;
        out_ << std::flush;
        return reader_->read_answer(question);
    };
    if (!state_.ask) state_.ask = ask_reader;
    for (auto* list : {&walk_commands, &look_commands, &reading_commands, &analysis_commands}) {
        for (StepCommand& command : list()) commands_.push_back(std::move(command));
    }
    for (StepCommand& command : own_commands()) commands_.push_back(std::move(command));
}

void Session::start() {
    const ModelConfig& config = state_.config();
    const Batch batch = state_.recording->batch();
    out_ << fmt::format(fmt::runtime(state_.words("{} layers of {} stages, {} rows of {} tokens",
                                                  "{} 层，每层 {} 个阶段；{} 行，每行 {} 个 token")),
                        config.num_hidden_layers,
                        place_of(*state_.recording, state_.recording->find({Point::resid_pre, 0})).of, batch.batch,
                        batch.seq);
    if (state_.recording->past() > 0) {
        out_ << fmt::format(fmt::runtime(state_.words(" after {} cached ones", "，之前已缓存 {} 个")),
                            state_.recording->past());
    }
    out_ << "  (" << state_.weights << ")\n";
    const std::string first =
        state_.words("step, back, next move; print, heat, explain look; help lists all; quit leaves",
                     "step、back、next 移动；print、heat、explain 查看；help 列出全部；quit 退出");
    for (const std::string& line : wrap(first, state_.width)) out_ << line << "\n";
    out_ << "\n";
    show_stage(state_, state_.stage().site(), out_);
}

bool Session::read_from(LineReader& reader) {
    reader_ = &reader;
    bool worked = true;
    while (!state_.is_over && worked) {
        const std::optional<std::string> line = reader.read(prompt);
        if (!line) break;
        if (state_.follows_terminal) state_.width = std::max<std::size_t>(terminal_width(), 40);
        const std::string command = trimmed(*line);
        if (command.empty() && !reader.repeats_on_empty()) continue;
        worked = run_line(command) || !state_.is_batch;
    }
    reader_ = nullptr;
    return worked;
}

bool Session::run_line(const std::string& line) {
    if (trimmed(line).starts_with('#')) return true;
    const std::vector<std::string> commands = split_commands(line);
    for (const std::string& command : commands) {
        if (command.empty() && commands.size() > 1) continue;  // only a line that is empty as a whole repeats
        if (!run_command(command)) return false;
        if (state_.is_over) break;
    }
    return true;
}

bool Session::run_command(const std::string& typed) {
    const std::string line = typed.empty() ? last_navigation_ : typed;
    if (line.empty()) return true;
    try {
        // Commands may be typed with the wide characters of an input method; a file's name stays as it is.
        const std::string narrow = half_width(line);
        const std::size_t space = std::min(narrow.find_first_of(" \t["), narrow.size());
        const StepCommand& command = command_named(narrow.substr(0, space));
        const bool has_file = command.name == "save" && line.starts_with(narrow.substr(0, space));
        command.run(state_, trimmed((has_file ? line : narrow).substr(space)), out_);
        if (command.is_navigation) last_navigation_ = line;
        history_.push_back(line);
        out_ << std::flush;
        return true;
    } catch (const std::exception& error) {
        report(error);
        return false;
    }
}

/// In batch mode the error is the program's; else it is one of the answers.
void Session::report(const std::exception& error) {
    out_ << std::flush;
    std::ostream& where = state_.is_batch ? std::cerr : out_;
    where << error_text(error, state_.is_batch ? Paint(false) : state_.paint) << std::flush;
}

const StepCommand& Session::command_named(const std::string& name) const {
    std::vector<const StepCommand*> found;
    std::vector<std::string> names;
    for (const StepCommand& command : commands_) {
        if (command.name == name || std::ranges::find(command.aliases, name) != command.aliases.end()) return command;
        if (command.name.starts_with(name)) found.push_back(&command);
        names.push_back(command.name);
    }
    if (found.size() == 1) return *found.front();
    Error error(found.empty() ? fmt::format("there is no command '{}'", name)
                              : fmt::format("'{}' could be several commands", name));
    error.at(name);
    std::string candidates;
    for (const StepCommand* command : found) candidates += (candidates.empty() ? "" : ", ") + command->name;
    if (!candidates.empty()) throw error.help(candidates);
    const std::string near = nearest_name(name, names);
    if (!near.empty()) error.help("did you mean " + near + "?");
    const bool is_stage = std::ranges::any_of(state_.recording->stages(),
                                              [&](const Stage& stage) { return matches(name, stage.site()); });
    if (is_stage) error.help(fmt::format("{} is a stage: goto {}, print {}, explain {}", name, name, name, name));
    throw error.help("`help` lists the commands");
}

Completion Session::complete(const std::string& before) const {
    const std::size_t separator = before.rfind(";;");
    std::size_t begin = separator == std::string::npos ? 0 : separator + 2;
    begin = std::min(before.find_first_not_of(' ', begin), before.size());
    const std::size_t space = before.find(' ', begin);
    Completion completion{begin, {}};
    if (space == std::string::npos) {
        for (const StepCommand& command : commands_) {
            if (command.name.starts_with(before.substr(begin))) completion.words.push_back(command.name);
        }
        return completion;
    }
    const std::string name = before.substr(begin, space - begin);
    completion.begin = before.rfind(' ') + 1;
    const std::string word = before.substr(completion.begin);
    const auto offer = [&](const std::string& candidate) {
        const bool is_new = std::ranges::find(completion.words, candidate) == completion.words.end();
        if (candidate.starts_with(word) && is_new) completion.words.push_back(candidate);
    };
    const auto command = std::ranges::find_if(commands_, [&](const StepCommand& one) {
        return one.name == name || std::ranges::find(one.aliases, name) != one.aliases.end();
    });
    if (name == "help" || name == "h") {
        for (const StepCommand& one : commands_) offer(one.name);
    } else if (command == commands_.end() || command->takes_stages) {
        for (const Stage& stage : state_.recording->stages()) {
            const std::string inside = short_name(stage.site(), state_.layer);
            offer(inside.substr(inside.rfind('.') + 1));
            offer(inside);
        }
    }
    std::ranges::sort(completion.words);
    return completion;
}

}  // namespace minimind
