#include "console/model_loading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "console/memory.hpp"
#include "core/threads.hpp"
#include "io/checkpoint.hpp"
#include "io/hf_config.hpp"
#include "random/fresh_model.hpp"

namespace minimind {

void add_model_and_input(Arguments& args, ModelFlags& model, InputFlags& input, bool with_labels) {
    model.add_sizes(args);
    model.add_weights(args);
    model.add_checkpoint(args);
    input.add_batch(args);
    input.add_ids(args);
    input.add_text(args);
    input.add_attention_mask(args);
    if (!with_labels) return;
    input.add_labels(args);
    input.add_past(args);
    input.add_logits_to_keep(args);
}

namespace {

/// fmat(in, out) over memory that the checkpoint owns: nothing is copied.
arma::fmat view_of(const float* data, const ParameterInfo& parameter) {
    const auto rows = static_cast<arma::uword>(parameter.shape.back());
    const auto cols = static_cast<arma::uword>(parameter.count()) / rows;
    return {const_cast<float*>(data), rows, cols, false, true};  // NOLINT: Armadillo has no read-only matrix
}

/// What --config and the flags say of a checkpoint that cannot say it itself.
ConfigOverrides overrides_of(const ModelFlags& flags) {
    if (!flags.config_path()) return flags.overrides();
    return all_fields(read_hf_config(*flags.config_path(), flags.overrides()).config);
}

/// Every parameter is one multiply-add a token, roughly.
void choose_threads(const ModelFlags& flags, const ModelConfig& config, const Batch& batch) {
    if (flags.threads() > 0) return use_threads(static_cast<int>(flags.threads()));
    use_one_thread_for_little(active_parameter_count(config) * std::max<std::int64_t>(batch.tokens(), 1));
}

Workload workload_of(const InputFlags& input, const LoadOptions& options) {
    Workload workload;
    workload.batch = input.batch();
    workload.keeps_stages = options.keeps_stages;
    workload.shows_scores = options.shows_scores;
    workload.has_loss = input.has_labels();
    return workload;
}

LoadedModel load_checkpoint(const ModelFlags& flags, Workload workload) {
    const auto checkpoint = std::make_shared<Checkpoint>(*flags.checkpoint(), overrides_of(flags));
    workload.maps_parameters = true;
    check_memory(checkpoint->config(), workload);
    choose_threads(flags, checkpoint->config(), workload.batch);
    CausalLm model(checkpoint->config(),
                   [&](const ParameterInfo& parameter) { return view_of(checkpoint->data(parameter), parameter); });
    model.keep_alive(checkpoint);
    return {std::move(model), Generator(flags.seed), *flags.checkpoint()};
}

}  // namespace

ModelConfig load_config(const ModelFlags& flags) {
    flags.check_sources();
    return flags.checkpoint() ? Checkpoint(*flags.checkpoint(), flags.overrides()).config() : flags.config();
}

LoadedModel load_model(const ModelFlags& flags, InputFlags& input, const ConsoleFlags&, const LoadOptions& options) {
    flags.check_sources();
    input.read_text(flags.checkpoint());
    if (flags.checkpoint()) return load_checkpoint(flags, workload_of(input, options));

    const ModelConfig config = flags.config();
    check_memory(config, workload_of(input, options));
    choose_threads(flags, config, input.batch());
    Generator generator(flags.seed);
    CausalLm model = fresh_model(config, generator, flags.has_random_norms());
    return {std::move(model), generator, fmt::format("seed {}", flags.seed)};
}

}  // namespace minimind
