// Lab of lesson 13: the feed-forward network from the inside, and a mixture of experts in its place.
//
//   dense   down(act(gate x) * up x)                                 SwiGLU, the file feed_forward.cpp
//   2017    W2 relu(W1 x)                                            what it replaced
//   MoE     sum over the K chosen experts of weight * expert(x)      moe_feed_forward.cpp; moe_sections.cpp here
#include <fmt/format.h>

#include <optional>

#include "console/memory.hpp"
#include "console/model_loading.hpp"
#include "core/error.hpp"
#include "labs.hpp"
#include "random/fresh_model.hpp"
#include "report/lab_output.hpp"
#include "trace_ffn_moe/dense_sections.hpp"
#include "trace_ffn_moe/explanations.hpp"
#include "trace_ffn_moe/moe_sections.hpp"

namespace minimind {

namespace {

/// The same sizes with experts in place of each FFN. Throws Error where these do not fit together.
ModelConfig with_experts(const ModelFlags& flags) {
    ModelConfig config = flags.sizes();
    config.use_moe = true;
    return completed(config);
}

CausalLm fresh_from_seed(const ModelConfig& config, const ModelFlags& flags, const Batch& batch) {
    Workload forward;
    forward.batch = batch;
    check_memory(config, forward);
    Generator generator(flags.seed);
    return fresh_model(config, generator, flags.has_random_norms());
}

void show_config(LabOutput& out, const ModelConfig& config, std::int64_t layer) {
    out.section("Config");
    out.value("hidden_size", config.hidden_size);
    out.value("intermediate_size", config.intermediate_size);
    out.value("hidden_act", config.hidden_act);
    out.value("layer", layer);
}

void check_layer(std::int64_t layer, const ModelConfig& config) {
    if (layer < config.num_hidden_layers) return;
    throw Error(fmt::format("there is no block {}", layer))
        .at(fmt::format("--layer {}", layer))
        .help(fmt::format("use 0 to {}", config.num_hidden_layers - 1));
}

}  // namespace

int trace_ffn_moe(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    InputFlags input_flags;
    LabFlags lab_flags;
    std::int64_t layer = 0;
    std::int64_t shown = 6;
    Arguments args("trace_ffn_moe", "The feed-forward network from the inside, dense and MoE (lesson 13).");
    args.integer("--layer", layer, "the block whose MLP is shown", at_least(0));
    args.integer("--show_tokens", shown, "tokens whose routing is shown", at_least(1));
    add_model_and_input(args, model_flags, input_flags);
    lab_flags.add(args);
    args.example("minimind trace_ffn_moe", "a dense model, and one of the same sizes with 4 experts");
    args.example("minimind trace_ffn_moe --use_moe 0", "the dense model only");
    args.example("minimind trace_ffn_moe --num_experts 8 --num_experts_per_tok 2", "top-2 of 8");
    args.example("minimind trace_ffn_moe --hidden_size 768 --num_attention_heads 8", "MiniMind's widths");
    if (!args.parse(words)) return 0;

    std::optional<LoadedModel> loaded = load_model(model_flags, input_flags, lab_flags.console);
    const ModelConfig config = loaded->model.config();
    const TokenInput input = input_flags.tokens(config);
    check_layer(layer, config);
    const auto shown_layer = static_cast<int>(layer);
    const bool has_both = !config.use_moe && !model_flags.checkpoint() && !args.given("--use_moe");
    const ModelConfig moe_config = has_both ? with_experts(model_flags) : config;  // all errors before any output

    LabOutput out("trace_ffn_moe", lab_flags);
    out.explain_with(explain_ffn_moe(moe_config, input.ids.batch));
    show_config(out, config, layer);
    if (config.use_moe) {
        show_moe(out, loaded->model, input, shown_layer, shown);
    } else {
        show_dense(out, loaded->model, input, shown_layer, loaded->generator);
    }
    loaded.reset();  // one model in memory at a time
    if (has_both) show_moe(out, fresh_from_seed(moe_config, model_flags, input.ids.batch), input, shown_layer, shown);
    out.finish();
    return 0;
}

}  // namespace minimind
