// Lab of lesson 21: the residual stream through many blocks, pre-norm and post-norm, and what the initialisation has to
// do with it. Forwards only: what the claims about gradients are worth needs the backward pass.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare_residual/explanations.hpp"
#include "compare_residual/streams.hpp"
#include "console/model_loading.hpp"
#include "core/error.hpp"
#include "labs.hpp"
#include "model/rms_norm.hpp"
#include "report/lab_output.hpp"

namespace minimind {

namespace {

constexpr double fresh_std = 0.02;  // of every fresh weight, as MiniMind has it

/// What the fresh weights are scaled to. The numbers drawn stay the same, so that two runs differ by their scale alone.
struct Initialisation {
    std::string rule = "normal";
    double gain = 1.0;
    double embed_std = fresh_std;

    /// The standard deviation of a layer's weight [out, in].
    double std_of(const Shape& shape) const {
        if (rule == "normal") return gain * fresh_std;
        return gain * std::sqrt(2.0 / static_cast<double>(shape[0] + shape[1]));  // Glorot and Bengio 2010
    }
};

void scale_weights(CausalLm& model, const Initialisation& init) {
    const std::vector<ParameterInfo> list = parameter_list(model.config());
    const std::vector<arma::fmat*> parameters = model.parameters();
    for (std::size_t i = 0; i < list.size(); ++i) {
        const bool is_of_block = list[i].kind == ParameterKind::linear && list[i].layer >= 0;
        double std = fresh_std;
        if (is_of_block) std = init.std_of(list[i].shape);
        if (list[i].kind == ParameterKind::embedding) std = init.embed_std;
        if (std != fresh_std) *parameters[i] *= static_cast<float>(std / fresh_std);
    }
}

/// "0.197", or "1.2e+07" where that would be long.
std::string number(double value) {
    return std::abs(value) < 1000.0 ? fmt::format("{:.3f}", value) : fmt::format("{:.1e}", value);
}

/// The longer, the larger the value beside the largest of all.
std::string bar(double value, double largest) {
    constexpr double cells = 12.0;
    const double share = value / largest;
    if (!(share > 0.0 && share <= 1.0)) return "";  // of 0, NaN and infinity
    return " " + std::string(static_cast<std::size_t>(std::ceil(cells * share)), '#');
}

void show_stream(LabOutput& out, const std::string& title, const ResidualStream& stream) {
    double largest = 0.0;
    for (const BlockStep& step : stream.steps) largest = std::max(largest, step.out);
    out.section(title);
    out.line(fmt::format("{:>5}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>7}{:>7} out", "layer", "x", "attn", "mlp", "out",
                         "attn/x", "mlp/mid", "cos_a", "cos_m"));
    for (std::size_t layer = 0; layer < stream.steps.size(); ++layer) {
        const BlockStep& step = stream.steps[layer];
        const std::string sizes = fmt::format("{:>5}{:>8}{:>8}{:>8}{:>8}", layer, number(step.stream),
                                              number(step.attn), number(step.mlp), number(step.out));
        const std::string comparison = fmt::format("{:>8}{:>8}{:>7.3f}{:>7.3f}", number(step.attn_ratio),
                                                   number(step.mlp_ratio), step.attn_cosine, step.mlp_cosine);
        out.row(sizes + comparison + bar(step.out, largest), {{"layer", layer},
                                                              {"x", step.stream},
                                                              {"attn", step.attn},
                                                              {"mlp", step.mlp},
                                                              {"out", step.out},
                                                              {"attn_ratio", step.attn_ratio},
                                                              {"mlp_ratio", step.mlp_ratio},
                                                              {"attn_cosine", step.attn_cosine},
                                                              {"mlp_cosine", step.mlp_cosine},
                                                              {"embedding_cosine", step.embedding_cosine}});
    }
}

/// A line of the last table: what the first block does to the embedding, and what has become of it after the last.
void show_summary(LabOutput& out, const std::string& name, const ResidualStream& stream) {
    const BlockStep& first = stream.steps.front();
    const BlockStep& last = stream.steps.back();
    const double growth = first.stream == 0.0 ? 0.0 : first.out / first.stream;
    out.row(fmt::format("{:<10}{:>14}{:>14}{:>16.3f}{:>16.3f}", name, number(growth), number(last.out),
                        first.embedding_cosine, last.embedding_cosine),
            {{"stream", name},
             {"first_block_growth", growth},
             {"last_out", last.out},
             {"embedding_cosine_after_block_0", first.embedding_cosine},
             {"embedding_cosine_after_the_last", last.embedding_cosine}});
}

/// The largest difference of the blocks written out here, with the final norm, from the engine's own forward pass.
double difference_from_engine(const CausalLm& model, const TokenInput& input, const ResidualStream& pre_norm) {
    const ModelConfig& config = model.config();
    const arma::fmat by_hand = rms_norm(pre_norm.last, model.model().norm, config.rms_norm_eps);  // [B, S, H]
    const arma::fmat engine =
        model.model().forward(input.ids, config, input.attention_mask, nullptr, false, nullptr).hidden_states;
    return static_cast<double>(arma::abs(by_hand - engine).max());
}

/// A trained model has its weights: there is nothing to scale.
void refuse_with_checkpoint(const Arguments& args, const CheckpointPath& checkpoint) {
    if (!checkpoint) return;
    for (const char* flag : {"--init", "--gain", "--embed_std"}) {
        if (!args.given(flag)) continue;
        throw Error(fmt::format("{} cannot be combined with --checkpoint", flag))
            .at("--checkpoint " + *checkpoint)
            .note("it scales fresh weights; a checkpoint's are trained")
            .help("leave out one of them");
    }
}

}  // namespace

int compare_residual(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    model_flags.defaults.num_hidden_layers = 16;
    InputFlags input_flags;
    input_flags.batch_size = 4;
    input_flags.seq_len = 64;
    LabFlags lab_flags;
    Initialisation init;
    Arguments args("compare_residual", "The residual stream by layer, pre-norm and post-norm (lesson 21).");
    args.choice("--init", init.rule, {"normal", "xavier"}, "std of the layers' weights: 0.02, or sqrt(2 / (in + out))");
    args.real("--gain", init.gain, "times that", {0.0, 1e6});
    args.real("--embed_std", init.embed_std, "std of the embedding", {0.0, 1e6});
    add_model_and_input(args, model_flags, input_flags);
    lab_flags.add(args);
    args.example("minimind compare_residual --preset minimind3", "the first block makes the stream ten times as large");
    args.example("minimind compare_residual --num_hidden_layers 64", "a deep model");
    args.example("minimind compare_residual --init xavier --embed_std 1", "the scale that the articles have in mind");
    if (!args.parse(words)) return 0;
    refuse_with_checkpoint(args, model_flags.checkpoint());

    LoadedModel loaded = load_model(model_flags, input_flags, lab_flags.console);
    const TokenInput input = input_flags.tokens(loaded.model.config());
    const bool is_fresh = !model_flags.checkpoint();
    if (is_fresh) scale_weights(loaded.model, init);

    LabOutput out("compare_residual", lab_flags);
    out.explain_with(explain_residual(loaded.model.config(), input.ids.batch, is_fresh));
    out.section("Weights");
    out.value("weights", loaded.description);
    out.value("num_hidden_layers", loaded.model.config().num_hidden_layers);
    if (is_fresh) {
        out.value("init", init.rule);
        out.value("gain", init.gain);
        out.value("embed_std", init.embed_std);
    }
    const ResidualStream pre_norm = pre_norm_stream(loaded.model, input.ids, input.attention_mask);
    show_stream(out, "Pre-Norm", pre_norm);
    const double difference = difference_from_engine(loaded.model, input, pre_norm);
    out.value("by_hand_vs_engine_max_abs_diff", difference, fmt::format("{:.2e}", difference));
    if (!is_fresh) {  // trained with its norms before the sublayers: after them they would tell nothing
        out.finish();
        return 0;
    }
    const ResidualStream post_norm = post_norm_stream(loaded.model, input.ids, input.attention_mask);
    show_stream(out, "Post-Norm", post_norm);
    out.section("Side by Side");
    out.line(fmt::format("{:<10}{:>14}{:>14}{:>16}{:>16}", "", "block 0 out/x", "last out", "cos(out0, emb)",
                         "cos(last, emb)"));
    show_summary(out, "pre-norm", pre_norm);
    show_summary(out, "post-norm", post_norm);
    out.finish();
    return 0;
}

}  // namespace minimind
