// `minimind trace`: every stage of a forward pass.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands.hpp"
#include "console/errors.hpp"
#include "console/model_loading.hpp"
#include "core/error.hpp"
#include "report/forward_pass.hpp"
#include "report/trace_dump.hpp"
#include "report/trace_report.hpp"
#include "trace/interventions.hpp"
#include "trace/sites.hpp"

namespace minimind {

namespace {

struct TraceFlags {
    std::vector<std::string> filters;
    std::vector<std::string> ablated;
    std::int64_t layer = -1;
    bool with_statistics = false;
    std::int64_t values = 0;
    std::string format = "text";
    std::string dump;
    bool with_npy = false;
    bool force = false;
    bool stop_on_nan = false;
    bool training = false;

    void add(Arguments& args) {
        args.group("what is traced");
        args.repeated("--filter", filters, "only the stages of that name, alias or glob; may be given several times");
        args.integer("--layer", layer, "only the stages of that block", at_least(0)).shown_default("all");
        args.repeated("--ablate", ablated, "set that stage to 0 before it is used; may be given several times");
        args.flag("--stop_on_nan", stop_on_nan, "stop at the first stage that has a NaN, and name it");
        args.flag("--train", training, "training mode: adds the auxiliary loss of an MoE model");
        args.group("what is shown");
        args.flag("--stats", with_statistics, "mean, std, min, max, RMS, NaN and infinity beside mean_rms");
        args.integer("--values", values, "show the first N values of each stage", at_least(0));
        args.choice("--format", format, {"text", "json"}, "json is what trace.json holds");
        args.text("--dump", dump, "write DIR/step000/trace.json and tensors.safetensors").value_name("DIR");
        args.flag("--npy", with_npy, "with --dump: a .npy file for each stage, too");
        args.flag("--force", force, "with --dump: replace a dump that is there");
        args.group("");
    }
};

/// The sites of this pass that --filter and --layer choose.
std::vector<Site> chosen_sites(const TraceFlags& flags, const std::vector<Site>& all, std::int64_t layers) {
    if (flags.layer >= layers) {
        throw Error(fmt::format("there is no block {}", flags.layer))
            .at(fmt::format("--layer {}", flags.layer))
            .help(layers == 1 ? "the model has one block: 0" : fmt::format("use 0 to {}", layers - 1));
    }
    std::vector<Site> chosen = flags.filters.empty() ? all : std::vector<Site>{};
    for (const std::string& filter : flags.filters) {
        const std::vector<Site> named = sites_named(filter, all, "--filter " + filter);
        chosen.insert(chosen.end(), named.begin(), named.end());
    }
    if (flags.layer >= 0) std::erase_if(chosen, [&](Site site) { return site.layer != flags.layer; });
    if (chosen.empty()) {
        throw Error("the stages that --filter names are in no block")
            .at(fmt::format("--layer {}", flags.layer))
            .help("leave out --layer");
    }
    return chosen;
}

Ablation ablation_of(const TraceFlags& flags, const std::vector<Site>& all) {
    Ablation ablation;
    for (const std::string& name : flags.ablated) {
        ablation.add(sites_named(name, all, "--ablate " + name), "--ablate " + name);
    }
    return ablation;
}

TracedPass run(const LoadedModel& loaded, const TokenInput& input, const TraceFlags& flags) {
    const ModelConfig& config = loaded.model.config();
    const PassKind kind{static_cast<int>(config.num_hidden_layers),
                        config.use_moe ? static_cast<int>(config.num_experts) : 0, input.past > 0,
                        input.labels.has_value()};
    const std::vector<Site> all = sites_of(kind);
    const std::vector<Site> chosen = chosen_sites(flags, all, config.num_hidden_layers);
    Ablation ablation = ablation_of(flags, all);

    const bool keep_values = flags.values > 0 || !flags.dump.empty();
    Recorder recorder([&](Site site) { return std::find(chosen.begin(), chosen.end(), site) != chosen.end(); },
                      keep_values);
    NanWatch nan_watch;
    HookList hooks;
    hooks.add(ablation);
    hooks.add(recorder);
    if (flags.stop_on_nan) hooks.add(nan_watch);

    // What is ablated is so in the cached tokens, too.
    PassResult result = forward_pass(loaded.model, input, {&hooks, &ablation}, flags.training);
    TracedPass pass{loaded.model,
                    std::move(result.input_ids),
                    input.past,
                    loaded.description,
                    std::move(result.output.loss),
                    {},
                    {}};
    if (flags.training) pass.aux_loss = result.output.aux_loss;
    pass.records = recorder.take_records();
    return pass;
}

void note_what_is_odd(const TracedPass& pass, ColorMode color) {
    if (pass.loss && pass.loss->counted == 0) {
        print_note(
            "the loss is NaN: no label counts, so it is a mean over nothing (labels are shifted by one, "
            "and the first of each row is never used)",
            color);
    }
}

}  // namespace

int trace_command(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    InputFlags input_flags;
    TraceFlags flags;
    ConsoleFlags console;
    Arguments args("trace", "Every stage of a forward pass: shape, statistics, values, files to compare.");
    add_model_and_input(args, model_flags, input_flags, true);
    flags.add(args);
    console.add(args);
    args.example("minimind trace --layer 0 --stats", "all stages of the first block, with statistics");
    args.example("minimind trace --filter 'q_*' --values 4", "some stages by name, with their first values");
    args.example("minimind trace --input_ids '1,2,3;4,5,6' --labels '1,2,3;4,5,6'", "ids of your own, and the loss");
    args.example("minimind trace --past 5 --layer 1", "one decode step on a cache of five tokens");
    args.example("minimind trace --ablate layers.0.mlp --filter resid_post", "what is left without an MLP");
    args.example("minimind trace --dump /tmp/ours", "everything as files, to compare with PyTorch");
    if (!args.parse(words)) return 0;
    if (args.given("--dump") && flags.dump.empty()) prepare_dump("", false);  // says what is missing
    if (flags.dump.empty() && (flags.with_npy || flags.force)) {
        throw Error("there is no dump to write").at(flags.with_npy ? "--npy" : "--force").help("add --dump DIR");
    }

    LoadOptions options;
    options.keeps_stages = flags.values > 0 || !flags.dump.empty();
    options.shows_scores = true;
    const LoadedModel loaded = load_model(model_flags, input_flags, console, options);
    const TokenInput input = input_flags.tokens(loaded.model.config());
    if (!flags.dump.empty()) prepare_dump(flags.dump, flags.force);

    TracedPass pass = run(loaded, input, flags);
    if (input_flags.tokenizer()) pass.token_text = token_texts(*input_flags.tokenizer(), pass.input_ids);
    if (!flags.dump.empty()) write_dump(flags.dump, 0, pass, flags.with_npy);
    if (flags.format == "json") {
        fmt::print("{}\n", trace_json(pass, flags.values).dump(1));
    } else {
        fmt::print("{}", trace_text(pass, {flags.with_statistics, flags.values}, console.paint()));
    }
    note_what_is_odd(pass, console.color());
    return 0;
}

}  // namespace minimind
