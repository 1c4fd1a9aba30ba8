// Lab of lesson 8, and the command `params`: what a config builds, and where its parameters are. No weight is made: the
// counts follow from the config.
#include <fmt/format.h>

#include "console/console_flags.hpp"
#include "console/errors.hpp"
#include "console/model_flags.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/checkpoint.hpp"
#include "labs.hpp"
#include "report/parameter_report.hpp"

namespace minimind {

namespace {

std::string count_text(std::int64_t count) {
    return fmt::format("{} ({})", with_commas(count), in_millions(count));
}

void print_config(const ModelConfig& config) {
    fmt::print("[Config]\n");
    fmt::print("hidden_size={}\n", config.hidden_size);
    fmt::print("num_hidden_layers={}\n", config.num_hidden_layers);
    fmt::print("vocab_size={}\n", config.vocab_size);
    fmt::print("num_attention_heads={}\n", config.num_attention_heads);
    fmt::print("num_key_value_heads={}\n", config.num_key_value_heads);
    fmt::print("head_dim={}\n", config.head_dim);
    fmt::print("intermediate_size={}\n", config.intermediate_size);
    fmt::print("use_moe={}\n", python_bool(config.use_moe));
    fmt::print("tie_word_embeddings={}\n", python_bool(config.tie_word_embeddings));
}

void print_shapes(const ModelConfig& config) {
    const std::string table = shape_text({config.vocab_size, config.hidden_size});
    fmt::print("\n[Important Shapes]\n");
    fmt::print("embed_tokens.weight={}\n", table);
    fmt::print("lm_head.weight={}\n", table);
    fmt::print("embedding_and_lm_head_are_same_parameter={}\n", python_bool(config.tie_word_embeddings));
    fmt::print("hidden_states=[batch_size, seq_len, {}]\n", config.hidden_size);
    fmt::print("attention q heads={}, kv heads={}, head_dim={}\n", config.num_attention_heads,
               config.num_key_value_heads, config.head_dim);
}

void print_breakdown(const ModelConfig& config) {
    const ParameterCounts counts = count_parameters(config);
    fmt::print("\n[Parameter Breakdown]\n");
    fmt::print("total_unique_params={}\n", count_text(counts.total));
    fmt::print("token_matrix_params_once={}\n", count_text(counts.embedding));
    fmt::print("all_blocks={}\n", count_text(counts.blocks));
    fmt::print("block0_total={}\n", count_text(counts.block.total()));
    fmt::print("block0.self_attn={}\n", count_text(counts.block.self_attn));
    fmt::print("block0.mlp={}\n", count_text(counts.block.mlp));
    fmt::print("final_norm={}\n", count_text(counts.final_norm));

    fmt::print("\n[Simple Formulas]\n");
    fmt::print("vocab_size * hidden_size = {} * {} = {}\n", config.vocab_size, config.hidden_size,
               count_text(counts.embedding));
    fmt::print("num_hidden_layers * block0_total = {} * {} = {}\n", config.num_hidden_layers,
               with_commas(counts.block.total()), count_text(counts.blocks));
    fmt::print("q projection output dim = num_attention_heads * head_dim = {} * {} = {}\n", config.num_attention_heads,
               config.head_dim, config.q_size());
}

void print_comparison_row(const std::string& name, const ModelConfig& config) {
    const ParameterCounts counts = count_parameters(config);
    const std::string heads =
        fmt::format("{}/{}/{}", config.num_attention_heads, config.num_key_value_heads, config.head_dim);
    fmt::print("{:<15} | {:>6} | {:>6} | {:>5} | {:<10} | {:<5} | {:>10} | {:>9} | {:>9} | {:>9} | {:>9}\n", name,
               config.hidden_size, config.num_hidden_layers, config.vocab_size, heads,
               python_bool(config.tie_word_embeddings), counts.total, counts.embedding, counts.block.total(),
               counts.block.self_attn, counts.block.mlp);
}

/// The sizes before what follows from them is filled in; those of a checkpoint are read without its weights.
ModelConfig sizes_of(const ModelFlags& flags) {
    flags.check_sources();
    if (flags.checkpoint()) return Checkpoint(*flags.checkpoint(), flags.overrides()).config();
    return flags.sizes();
}

/// What a wider, a deeper, a wordier and an untied model cost.
void print_comparison(const ModelConfig& base) {
    struct Variant {
        std::string name;
        std::int64_t hidden, layers, vocab;
        bool untied;
    };
    const std::vector<Variant> variants = {{"base", 0, 0, 0, false},
                                           {"wider_hidden", 32, 0, 0, false},
                                           {"deeper_layers", 0, 2, 0, false},
                                           {"larger_vocab", 0, 0, 1600, false},
                                           {"untied_lm_head", 0, 0, 0, true}};
    fmt::print("name | hidden | layers | vocab | heads/kv/head_dim | tied | total | token | block0 | attn0 | mlp0\n");
    fmt::print("{:-<128}\n", "");
    for (const Variant& variant : variants) {
        ModelConfig config = base;
        config.hidden_size += variant.hidden;
        config.num_hidden_layers += variant.layers;
        config.vocab_size += variant.vocab;
        if (variant.untied) config.tie_word_embeddings = false;
        print_comparison_row(variant.name, completed(config));
    }
}

}  // namespace

int inspect_model_config_params(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    ConsoleFlags console;
    Arguments args("params", "Where a model's parameters are, from its config alone (lesson 8).");
    model_flags.add_sizes(args);
    model_flags.add_checkpoint(args);
    bool compare = false;
    std::string format = "text";
    std::string device = "cpu";
    std::int64_t keys = 0;
    args.group("Output");
    args.flag("--compare", compare, "the same model wider, deeper, with more words, untied");
    args.choice("--format", format, {"text", "table", "json", "csv", "markdown"},
                "text: the course's format; the others: every parameter, block, total, multiply-adds, buffers");
    args.integer("--seq_len", keys, "keys that a token attends to, for its multiply-adds", {1, 1 << 30})
        .shown_default("max_position_embeddings, at most 340");
    args.choice("--device", device, {"cpu", "meta"}, "as in the course; the counts need no device");
    console.add(args);
    args.example("minimind params --preset minimind3", "the model of the course, in the course's format");
    args.example("minimind params --preset minimind3-moe --format table", "every parameter of the MoE model");
    args.example("minimind params --hidden_size 96 --compare", "what wider, deeper, wordier costs");
    if (!args.parse(words)) return 0;

    if (compare && format != "text") {
        throw Error("a comparison is printed in the course's format only")
            .at("--format " + format)
            .help("leave out --format");
    }
    const ModelConfig sizes = sizes_of(model_flags);
    if (compare) {
        print_comparison(sizes);
        return 0;
    }
    const ModelConfig config = completed(sizes);
    constexpr std::int64_t training_length = 340;  // MiniMind's
    if (keys == 0) keys = std::min(config.max_position_embeddings, training_length);
    const ParameterReport report{config, keys, console.language()};
    if (format == "table") fmt::print("{}", report.text());
    if (format == "markdown") fmt::print("{}", report.markdown());
    if (format == "csv") fmt::print("{}", report.csv());
    if (format == "json") fmt::print("{}\n", report.json().dump(2));
    if (format == "text") {
        print_config(config);
        print_shapes(config);
        print_breakdown(config);
        const std::string note = quoted_count_note(count_parameters(config), console.language());
        if (!note.empty()) print_note(note, console.color());
    }
    return 0;
}

}  // namespace minimind
