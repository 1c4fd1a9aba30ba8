// Lab of lesson 9: token ids become vectors, and every block keeps their shape.
//
// The lab is a hook. The model runs as it always does; the hook prints a line for each stage that the lesson is about.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console/input_flags.hpp"
#include "console/model_flags.hpp"
#include "console/model_loading.hpp"
#include "labs.hpp"
#include "trace/hook.hpp"
#include "trace/statistics.hpp"

namespace minimind {

namespace {

void print_stage(const std::string& label, const TensorView& tensor) {
    const float mean_rms = statistics_of(tensor).mean_rms;
    fmt::print("{:<38} shape={} mean_rms={:.6f}\n", label, shape_text(tensor.shape()), mean_rms);
}

/// Prints the stages of the forward pass, in the order in which the model computes them.
class ShapePrinter : public Hook {
  public:
    bool wants(Site site) const override { return !label_of(site.point).empty(); }

    void observe(Site site, const TensorView& tensor) override {
        if (site.point == Point::embed_tokens) fmt::print("\n[Embedding]\n");
        if (site.point == Point::rope_cos) fmt::print("\n[Position Embeddings]\n");
        if (site.point == Point::resid_pre) fmt::print("\n[Block {}]\n", site.layer);
        if (site.point == Point::norm) fmt::print("\n[Final Norm]\n");
        if (site.point == Point::rope_cos || site.point == Point::rope_sin) {
            fmt::print("{} shape={}\n", label_of(site.point), shape_text(tensor.shape()));
        } else {
            print_stage(label_of(site.point), tensor);
        }
    }

  private:
    /// What the lesson calls a stage; empty for those it does not show.
    static std::string label_of(Point point) {
        switch (point) {
            case Point::embed_tokens:
                return "after embed_tokens + dropout";
            case Point::rope_cos:
                return "freqs_cos slice";
            case Point::rope_sin:
                return "freqs_sin slice";
            case Point::resid_pre:
                return "block input";
            case Point::input_layernorm:
                return "after input_layernorm";
            case Point::self_attn:
                return "self_attn output";
            case Point::resid_mid:
                return "after attention residual add";
            case Point::post_attention_layernorm:
                return "after post_attention_layernorm";
            case Point::mlp:
                return "mlp output";
            case Point::resid_post:
                return "block output";
            case Point::norm:
                return "after final norm";
            default:
                return "";
        }
    }
};

void print_config(const ModelConfig& config) {
    fmt::print("[Config]\n");
    fmt::print("hidden_size={}\n", config.hidden_size);
    fmt::print("num_hidden_layers={}\n", config.num_hidden_layers);
    fmt::print("num_attention_heads={}\n", config.num_attention_heads);
    fmt::print("num_key_value_heads={}\n", config.num_key_value_heads);
    fmt::print("head_dim={}\n", config.head_dim);
    fmt::print("vocab_size={}\n", config.vocab_size);
}

void print_input(const TokenIds& input_ids, const ModelConfig& config) {
    fmt::print("\n[Input]\n");
    fmt::print("input_ids.shape={}\n", shape_text({input_ids.batch.batch, input_ids.batch.seq}));
    fmt::print("input_ids[0]=[{}]\n", fmt::join(input_ids.row(0), ", "));
    fmt::print("embed_tokens.weight.shape={}\n", shape_text({config.vocab_size, config.hidden_size}));
}

}  // namespace

int trace_block_shapes(const std::vector<std::string>& words) {
    ModelFlags model_flags;  // hidden 64, 2 layers, 4 heads, 2 KV heads: the preset tiny
    InputFlags input_flags;  // batch 2, seq 6, ids (b * S + s) mod V
    ConsoleFlags console;
    Arguments args("trace_block_shapes",
                   "Shapes and scales through embedding, blocks, final norm and head (lesson 9).");
    add_model_and_input(args, model_flags, input_flags);
    console.add(args);
    args.example("minimind trace_block_shapes", "the course's default model");
    args.example("minimind trace_block_shapes --hidden_size 96 --num_hidden_layers 3", "wider and deeper");
    if (!args.parse(words)) return 0;

    const LoadedModel loaded = load_model(model_flags, input_flags, console);
    const TokenInput input = input_flags.tokens(loaded.model.config());
    const ModelConfig& config = loaded.model.config();
    print_config(config);
    print_input(input.ids, config);

    ShapePrinter printer;
    ForwardOptions options;
    options.attention_mask = input.attention_mask;
    options.hook = &printer;
    const CausalLmOutput output = loaded.model.forward(input.ids, options);

    fmt::print("\n[LM Head]\n");
    fmt::print("lm_head.weight.shape={}\n", shape_text({config.vocab_size, config.hidden_size}));
    fmt::print("logits.shape={}\n", shape_text({input.ids.batch.batch, input.ids.batch.seq,
                                                static_cast<std::int64_t>(output.logits.n_rows)}));
    fmt::print("\n[Shape Rule]\n");
    fmt::print("input_ids:     [batch_size, seq_len]\n");
    fmt::print("hidden_states: [batch_size, seq_len, hidden_size]\n");
    fmt::print("logits:        [batch_size, seq_len, vocab_size]\n");
    return 0;
}

}  // namespace minimind
