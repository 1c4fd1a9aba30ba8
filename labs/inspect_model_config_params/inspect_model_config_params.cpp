// Lab of lesson 8, and the command `params`: what a config builds, and where its parameters are. No weight is made: the
// counts follow from the config.
#include <fmt/format.h>

#include "console/errors.hpp"
#include "console/model_flags.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "inspect_model_config_params/comparison.hpp"
#include "inspect_model_config_params/explanations.hpp"
#include "io/checkpoint.hpp"
#include "labs.hpp"
#include "report/parameter_report.hpp"

namespace minimind {

namespace {

std::string count_text(std::int64_t count) {
    return fmt::format("{} ({})", with_commas(count), in_millions(count));
}

void show_count(LabOutput& out, const std::string& key, std::int64_t count) {
    out.value(key, count, count_text(count));
}

void show_product(LabOutput& out, const std::string& formula, const Shape& factors, const std::string& text) {
    out.row(formula + " = " + text, {{"formula", formula}, {"factors", factors}, {"product", element_count(factors)}});
}

void show_config(LabOutput& out, const ModelConfig& config) {
    out.section("Config");
    out.value("hidden_size", config.hidden_size);
    out.value("num_hidden_layers", config.num_hidden_layers);
    out.value("vocab_size", config.vocab_size);
    out.value("num_attention_heads", config.num_attention_heads);
    out.value("num_key_value_heads", config.num_key_value_heads);
    out.value("head_dim", config.head_dim);
    out.value("intermediate_size", config.intermediate_size);
    out.value("use_moe", config.use_moe);
    out.value("tie_word_embeddings", config.tie_word_embeddings);
}

void show_shapes(LabOutput& out, const ModelConfig& config) {
    const Shape table = {config.vocab_size, config.hidden_size};
    out.section("Important Shapes");
    out.value("embed_tokens.weight", table, shape_text(table));
    out.value("lm_head.weight", table, shape_text(table));
    out.value("embedding_and_lm_head_are_same_parameter", config.tie_word_embeddings);
    out.value("hidden_states", {"batch_size", "seq_len", config.hidden_size});
    out.values(fmt::format("attention q heads={}, kv heads={}, head_dim={}", config.num_attention_heads,
                           config.num_key_value_heads, config.head_dim),
               {{"attention q heads", config.num_attention_heads},
                {"kv heads", config.num_key_value_heads},
                {"head_dim", config.head_dim}});
}

void show_breakdown(LabOutput& out, const ModelConfig& config) {
    const ParameterCounts counts = count_parameters(config);
    const std::int64_t block = counts.block.total();
    out.section("Parameter Breakdown");
    show_count(out, "total_unique_params", counts.total);
    show_count(out, "token_matrix_params_once", counts.embedding);
    show_count(out, "all_blocks", counts.blocks);
    show_count(out, "block0_total", block);
    show_count(out, "block0.self_attn", counts.block.self_attn);
    show_count(out, "block0.mlp", counts.block.mlp);
    show_count(out, "final_norm", counts.final_norm);

    out.section("Simple Formulas");
    show_product(out, "vocab_size * hidden_size", {config.vocab_size, config.hidden_size},
                 fmt::format("{} * {} = {}", config.vocab_size, config.hidden_size, count_text(counts.embedding)));
    show_product(out, "num_hidden_layers * block0_total", {config.num_hidden_layers, block},
                 fmt::format("{} * {} = {}", config.num_hidden_layers, with_commas(block), count_text(counts.blocks)));
    show_product(out, "q projection output dim = num_attention_heads * head_dim",
                 {config.num_attention_heads, config.head_dim},
                 fmt::format("{} * {} = {}", config.num_attention_heads, config.head_dim, config.q_size()));
}

/// The course's sections; in JSON beside the report, which holds every parameter.
void show_params(LabOutput& out, const ParameterReport& report) {
    show_config(out, report.config);
    show_shapes(out, report.config);
    show_breakdown(out, report.config);
    const LabOutput::Json json = report.json();
    for (const auto& [key, value] : json.items()) out.beside_sections(key, value);
}

/// The sizes before what follows from them is filled in; those of a checkpoint are read without its weights.
ModelConfig sizes_of(const ModelFlags& flags) {
    flags.check_sources();
    if (flags.checkpoint()) return Checkpoint(*flags.checkpoint(), flags.overrides()).config();
    return flags.sizes();
}

}  // namespace

int inspect_model_config_params(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    LabFlags lab_flags;
    Arguments args("params", "Where a model's parameters are, from its config alone (lesson 8).");
    model_flags.add_sizes(args);
    model_flags.add_checkpoint(args);
    bool compare = false;
    std::string device = "cpu";
    std::int64_t keys = 0;
    args.group("Output");
    args.flag("--compare", compare, "the same model wider, deeper, with more words, untied");
    lab_flags.add(args, {"text", "table", "json", "csv", "markdown"},
                  "text: the course's format; the others: every parameter, block, total, multiply-adds, buffers");
    args.integer("--seq_len", keys, "keys that a token attends to, for its multiply-adds", {1, 1 << 30})
        .shown_default("max_position_embeddings, at most 340");
    args.choice("--device", device, {"cpu", "meta"}, "as in the course; the counts need no device");
    args.example("minimind params --preset minimind3", "the model of the course, in the course's format");
    args.example("minimind params --preset minimind3-moe --format table", "every parameter of the MoE model");
    args.example("minimind params --hidden_size 96 --compare", "what wider, deeper, wordier costs");
    if (!args.parse(words)) return 0;

    const std::string& format = lab_flags.format();
    if (lab_flags.explain && format != "text" && format != "json") {
        throw Error("explanations stand under the sections of the text")
            .at("--explain")
            .help("leave out --format " + format);
    }
    const ModelConfig sizes = sizes_of(model_flags);
    const ModelConfig config = completed(sizes);
    constexpr std::int64_t training_length = 340;  // MiniMind's
    if (keys == 0) keys = std::min(config.max_position_embeddings, training_length);
    const ParameterReport report{config, keys, lab_flags.console.language()};
    if (format == "table") fmt::print("{}", compare ? comparison_table(sizes).text() : report.text());
    if (format == "markdown") fmt::print("{}", compare ? comparison_table(sizes).markdown() : report.markdown());
    if (format == "csv") fmt::print("{}", compare ? comparison_table(sizes).csv() : report.csv());
    if (format != "text" && format != "json") return 0;

    LabOutput out("inspect_model_config_params", lab_flags);
    out.explain_with(explain_config_params(config));
    if (compare) {
        show_comparison(out, sizes);
    } else {
        show_params(out, report);
    }
    out.finish();
    const std::string note = quoted_count_note(count_parameters(config), lab_flags.console.language());
    if (format == "text" && !compare && !note.empty()) print_note(note, lab_flags.console.color());
    return 0;
}

}  // namespace minimind
