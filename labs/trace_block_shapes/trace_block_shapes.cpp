// Lab of lesson 9: token ids become vectors, and every block keeps their shape.
//
// The lab is a hook. The model runs as it always does; the hook prints a line for each stage that the lesson is about.
#include <fmt/format.h>

#include <map>

#include "console/input_flags.hpp"
#include "console/model_flags.hpp"
#include "console/model_loading.hpp"
#include "labs.hpp"
#include "report/lab_output.hpp"
#include "trace/hook.hpp"
#include "trace/statistics.hpp"
#include "trace_block_shapes/explanations.hpp"

namespace minimind {

namespace {

/// The stages that the lesson is about, by its names for them.
const std::map<Point, std::string>& lesson_names() {
    static const std::map<Point, std::string> names = {
        {Point::embed_tokens, "after embed_tokens + dropout"},
        {Point::rope_cos, "freqs_cos slice"},
        {Point::rope_sin, "freqs_sin slice"},
        {Point::resid_pre, "block input"},
        {Point::input_layernorm, "after input_layernorm"},
        {Point::self_attn, "self_attn output"},
        {Point::resid_mid, "after attention residual add"},
        {Point::post_attention_layernorm, "after post_attention_layernorm"},
        {Point::mlp, "mlp output"},
        {Point::resid_post, "block output"},
        {Point::norm, "after final norm"},
    };
    return names;
}

/// Prints those stages in the order in which the model computes them.
class ShapePrinter : public Hook {
  public:
    explicit ShapePrinter(LabOutput& out) : out_(out) {}

    bool wants(Site site) const override { return lesson_names().count(site.point) > 0; }

    void observe(Site site, const TensorView& tensor) override {
        if (site.point == Point::embed_tokens) out_.section("Embedding");
        if (site.point == Point::rope_cos) out_.section("Position Embeddings");
        if (site.point == Point::resid_pre) out_.section(fmt::format("Block {}", site.layer));
        if (site.point == Point::norm) out_.section("Final Norm");

        const std::string& name = lesson_names().at(site.point);
        const std::string shape = shape_text(tensor.shape());
        LabOutput::Json row = {{"stage", name}, {"hook", site_name(site)}, {"shape", tensor.shape()}};
        if (site.point == Point::rope_cos || site.point == Point::rope_sin) {
            out_.row(fmt::format("{} shape={}", name, shape), row);
            return;
        }
        const float mean_rms = statistics_of(tensor).mean_rms;
        row["mean_rms"] = mean_rms;
        out_.row(fmt::format("{:<38} shape={} mean_rms={:.6f}", name, shape, mean_rms), row);
    }

  private:
    LabOutput& out_;
};

void show_config(LabOutput& out, const ModelConfig& config) {
    out.section("Config");
    out.value("hidden_size", config.hidden_size);
    out.value("num_hidden_layers", config.num_hidden_layers);
    out.value("num_attention_heads", config.num_attention_heads);
    out.value("num_key_value_heads", config.num_key_value_heads);
    out.value("head_dim", config.head_dim);
    out.value("vocab_size", config.vocab_size);
}

}  // namespace

int trace_block_shapes(const std::vector<std::string>& words) {
    ModelFlags model_flags;  // hidden 64, 2 layers, 4 heads, 2 KV heads: the preset tiny
    InputFlags input_flags;  // batch 2, seq 6, ids (b * S + s) mod V
    LabFlags lab_flags;
    Arguments args("trace_block_shapes",
                   "Shapes and scales through embedding, blocks, final norm and head (lesson 9).");
    add_model_and_input(args, model_flags, input_flags);
    lab_flags.add(args);
    args.example("minimind trace_block_shapes", "the course's default model");
    args.example("minimind trace_block_shapes --hidden_size 96 --num_hidden_layers 3", "wider and deeper");
    args.example("minimind trace_block_shapes --explain", "with a line on what each section shows");
    if (!args.parse(words)) return 0;

    const LoadedModel loaded = load_model(model_flags, input_flags, lab_flags.console);
    const ModelConfig& config = loaded.model.config();
    const TokenInput input = input_flags.tokens(config);
    const auto [batch, seq] = input.ids.batch;
    const Shape table = {config.vocab_size, config.hidden_size};

    LabOutput out("trace_block_shapes", lab_flags);
    out.explain_with(explain_block_shapes(config, input.ids.batch));
    show_config(out, config);
    out.section("Input");
    out.shape("input_ids", {batch, seq});
    out.value("input_ids[0]", input.ids.row(0));
    out.shape("embed_tokens.weight", table);

    ShapePrinter printer(out);
    ForwardOptions options;
    options.attention_mask = input.attention_mask;
    options.hook = &printer;
    const CausalLmOutput output = loaded.model.forward(input.ids, options);

    out.section("LM Head");
    out.shape("lm_head.weight", table);
    out.shape("logits", {batch, seq, static_cast<std::int64_t>(output.logits.n_rows)});
    out.section("Shape Rule");
    out.axes("input_ids", {"batch_size", "seq_len"}, 15);
    out.axes("hidden_states", {"batch_size", "seq_len", "hidden_size"}, 15);
    out.axes("logits", {"batch_size", "seq_len", "vocab_size"}, 15);
    out.finish();
    return 0;
}

}  // namespace minimind
