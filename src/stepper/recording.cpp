#include "stepper/recording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/memory.hpp"
#include "core/error.hpp"
#include "report/forward_pass.hpp"
#include "stepper/stage_sharing.hpp"
#include "trace/interventions.hpp"

namespace minimind {

namespace {

/// Kept in every layer: what is written to and read from the residual stream.
bool is_of_stream(Point point) {
    return point == Point::resid_pre || point == Point::self_attn || point == Point::resid_mid || point == Point::mlp ||
           point == Point::resid_post;
}

bool keeps_values(Site site, int layer) {
    return layer == all_layers || site.layer < 0 || site.layer == layer || is_of_stream(site.point);
}

double bytes_of(Site site, const ModelConfig& config, const PassSizes& sizes) {
    if (site.point == Point::expert) {  // together they have K rows for every token
        const auto rows = static_cast<double>(sizes.batch.tokens() * config.num_experts_per_tok);
        return 4.0 * rows * static_cast<double>(config.hidden_size) / static_cast<double>(config.num_experts);
    }
    double count = site.point == Point::topk_idx || site.point == Point::shift_labels ? 2.0 : 1.0;  // 64 bits
    for (const std::int64_t size : shape_before(site, config, sizes)) count *= static_cast<double>(size);
    return 4.0 * count;
}

PassSizes sizes_of(const TokenInput& input) {
    return {{input.ids.batch.batch, input.ids.batch.seq - input.past}, input.past, input.logits_to_keep};
}

/// Stages whose values are another stage's unless something was edited between them.
bool is_shared(Point point, bool use_moe) {
    return is_view_of_another(point) && !(point == Point::mlp && use_moe);
}

void check_fits(const ModelConfig& config, const TokenInput& input, int layer) {
    const double need = estimated_bytes(config, input, layer);
    const double available = available_memory();
    if (need <= available) return;
    const Batch batch = input.ids.batch;
    throw Error(fmt::format("recording this pass takes about {} of memory, {} are available", bytes_text(need),
                            bytes_text(available)))
        .at(fmt::format("--batch_size {} --seq_len {}", batch.batch, batch.seq))
        .note(layer == all_layers ? "the values of every stage of every layer would be kept"
                                  : "the values of one layer and of the residual stream would be kept")
        .help("use fewer rows or a shorter sequence: a few tokens show all there is to see");
}

}  // namespace

/// Keeps what the pass shows.
class RecordingHook : public Hook {
  public:
    explicit RecordingHook(Recording& recording) : recording_(recording) {}

    bool wants(Site) const override { return true; }

    void observe(Site site, const TensorView& tensor) override {
        Stage stage;
        stage.record = {site, tensor.dtype(), tensor.shape(), statistics_of(tensor), {}, {}};
        stage.is_kept = keeps_values(site, recording_.layer_);
        if (stage.is_kept) {
            const std::optional<TensorView> shared = shared_view(recording_.stages_, site, tensor, recording_.config());
            if (shared) {
                stage.view = *shared;
            } else {
                own(stage, tensor);
            }
        }
        recording_.stages_.push_back(std::move(stage));
    }

  private:
    /// A copy. The vectors' memory does not move with the stage, so that the view stays valid.
    static void own(Stage& stage, const TensorView& tensor) {
        if (tensor.dtype() == Dtype::f32) stage.record.f32 = tensor.to_f32();
        if (tensor.dtype() == Dtype::i64) stage.record.i64 = tensor.to_i64();
        stage.view = stage.record.view();
    }

    Recording& recording_;
};

Recording::Recording(const CausalLm& model, TokenInput input, std::vector<StageEdit> edits, int layer)
    : model_(model), input_(std::move(input)), edits_(std::move(edits)), layer_(layer), sizes_(sizes_of(input_)) {}

std::size_t Recording::find(Site site) const {
    const auto found = std::ranges::find_if(stages_, [&](const Stage& stage) { return stage.site() == site; });
    return found == stages_.end() ? npos : static_cast<std::size_t>(found - stages_.begin());
}

const TensorView& Recording::view(Site site) const {
    const std::size_t at = find(site);
    if (at == npos) throw Error("this pass has no stage " + site_name(site));
    if (!stages_[at].is_kept) {
        throw Error("the values of " + site_name(site) + " are not kept")
            .note(fmt::format("the recording has those of layer {}", layer_))
            .help(fmt::format("layer {}", site.layer));
    }
    return stages_[at].view;
}

double Recording::bytes() const {
    double bytes = 0.0;
    for (const Stage& stage : stages_) {
        bytes += 4.0 * static_cast<double>(stage.record.f32.capacity());
        bytes += 8.0 * static_cast<double>(stage.record.i64.capacity());
    }
    return bytes;
}

std::shared_ptr<const Recording> record_pass(const CausalLm& model, const TokenInput& input,
                                             const std::vector<StageEdit>& edits, int layer) {
    check_fits(model.config(), input, layer);
    auto recording = std::make_shared<Recording>(model, input, edits, layer);
    StageEditor editor(edits, model.config(), recording->sizes_);
    RecordingHook recorder(*recording);
    HookList hooks;
    hooks.add(editor);
    hooks.add(recorder);
    recording->loss_ = forward_pass(model, input, {&hooks, nullptr}).output.loss;
    return recording;
}

double estimated_bytes(const ModelConfig& config, const TokenInput& input, int layer) {
    const PassSizes sizes = sizes_of(input);
    double kept = 0.0;
    for (const Site site : sites_of(pass_kind(config, input))) {
        if (keeps_values(site, layer) && !is_shared(site.point, config.use_moe)) kept += bytes_of(site, config, sizes);
    }
    Workload pass;
    pass.batch = input.ids.batch;
    pass.shows_scores = true;
    pass.has_loss = input.labels.has_value();
    return kept + memory_need(config, pass).activations;
}

int layers_to_keep(const ModelConfig& config, const TokenInput& input, int layer) {
    constexpr double most = 1024.0 * 1024.0 * 1024.0;
    return estimated_bytes(config, input, all_layers) <= std::min(most, available_memory() / 4.0) ? all_layers : layer;
}

PassKind pass_kind(const ModelConfig& config, const TokenInput& input) {
    return {static_cast<int>(config.num_hidden_layers), config.use_moe ? static_cast<int>(config.num_experts) : 0,
            input.past > 0, input.labels.has_value()};
}

}  // namespace minimind
