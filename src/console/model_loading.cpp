#include "console/model_loading.hpp"

#include <fmt/format.h>

#include "console/memory.hpp"
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

LoadedModel load_model(const ModelFlags& flags, InputFlags& input, const ConsoleFlags&, const LoadOptions& options) {
    flags.check_sources();
    const ModelConfig config = flags.config();
    input.read_text(flags.checkpoint());
    Workload workload;
    workload.batch = input.batch();
    workload.keeps_stages = options.keeps_stages;
    workload.has_loss = input.has_labels();
    check_memory(config, workload);

    Generator generator(flags.seed);
    CausalLm model = fresh_model(config, generator, flags.has_random_norms());
    return {std::move(model), generator, fmt::format("seed {}", flags.seed)};
}

}  // namespace minimind
