// `minimind step`: walks through a recorded forward pass, forwards and backwards.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "cli/commands.hpp"
#include "console/console_flags.hpp"
#include "console/model_loading.hpp"
#include "core/error.hpp"
#include "report/trace_report.hpp"
#include "stepper/session.hpp"
#include "stepper/terminal_reader.hpp"

namespace minimind {

namespace {

struct StepFlags {
    std::int64_t layer = -1;
    std::string script;
    bool is_batch = false;
    bool predict = false;

    void add(Arguments& args) {
        args.group("the session");
        args.integer("--layer", layer, "begin at that block", at_least(0)).shown_default("the embedding");
        args.flag("--predict", predict, "be asked before a stage is shown");
        args.text("--script", script, "run the commands of FILE first, one a line; -x FILE is the same")
            .value_name("FILE");
        args.flag("--batch", is_batch, "ask nothing, end with the commands; exit 1 at the first that fails");
        args.group("");
    }
};

/// -x as in gdb.
std::vector<std::string> with_long_names(std::vector<std::string> words) {
    for (std::string& word : words) word = word == "-x" ? "--script" : word;
    return words;
}

SessionState state_of(const LoadedModel& loaded, const InputFlags& input_flags, const StepFlags& flags,
                      const ConsoleFlags& console) {
    const ModelConfig& config = loaded.model.config();
    if (flags.layer >= config.num_hidden_layers) {
        throw Error(fmt::format("there is no block {}", flags.layer))
            .at(fmt::format("--layer {}", flags.layer))
            .help(config.num_hidden_layers == 1 ? "the model has one block: 0"
                                                : fmt::format("use 0 to {}", config.num_hidden_layers - 1));
    }
    const TokenInput input = input_flags.tokens(config);
    const int layer = flags.layer < 0 ? 0 : static_cast<int>(flags.layer);
    std::shared_ptr<const Recording> recording =
        record_pass(loaded.model, input, {}, layers_to_keep(config, input, layer));
    SessionState state{loaded.model, recording, recording};
    if (flags.layer >= 0) state.at = recording->find({Point::resid_pre, layer});
    state.layer = layer;
    state.weights = loaded.description;
    if (input_flags.tokenizer()) state.token_text = token_texts(*input_flags.tokenizer(), input.ids);
    state.tokenizer = input_flags.tokenizer();
    state.language = console.language();
    state.paint = console.paint();
    state.width = std::max<std::size_t>(terminal_width(), 40);
    state.follows_terminal = true;
    state.is_batch = flags.is_batch;
    state.predict_mode = flags.predict;
    state.passes = 1;
    return state;
}

/// The commands of --script. Throws Error for a file that cannot be read.
std::ifstream script_of(const StepFlags& flags) {
    std::ifstream file;
    if (flags.script.empty()) return file;
    file.open(flags.script);
    file.peek();  // a directory can be opened, but not read
    if (!file.is_open() || file.bad()) throw Error("this file cannot be read").at("-x " + flags.script);
    file.clear();
    return file;
}

/// Runs the script, then what is typed or piped in.
int run(Session& session, std::ifstream& file, const StepFlags& flags) {
    session.start();
    StreamReader script(file, std::cout, true);
    bool worked = !file.is_open() || session.read_from(script);
    const bool only_script = flags.is_batch && file.is_open();
    if (worked && !session.is_over() && !only_script) {
        const std::unique_ptr<LineReader> reader = standard_input_reader(session, std::cout);
        worked = session.read_from(*reader);
    }
    return worked ? 0 : 1;
}

}  // namespace

int step_command(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    InputFlags input_flags;
    StepFlags flags;
    ConsoleFlags console;
    Arguments args("step", "Walk through a forward pass, stage by stage, forwards and backwards.");
    add_model_and_input(args, model_flags, input_flags, true);
    flags.add(args);
    console.add(args);
    args.example("minimind step", "the tiny model, from the embedding on");
    args.example("minimind step --layer 1 --text 'hello'", "the second block, with a text");
    args.example("minimind step --past 5", "one decode step on a cache of five tokens");
    args.example("minimind step --predict", "say what comes before you see it");
    args.example("minimind step -x FILE --batch", "a session that was saved");
    if (!args.parse(with_long_names(words))) return 0;

    std::ifstream script = script_of(flags);
    LoadOptions options;
    options.shows_scores = true;
    const LoadedModel loaded = load_model(model_flags, input_flags, console, options);
    std::string command_line = "minimind step";
    for (const std::string& word : words) command_line += " " + word;
    Session session(state_of(loaded, input_flags, flags, console), std::cout, command_line);
    return run(session, script, flags);
}

}  // namespace minimind
