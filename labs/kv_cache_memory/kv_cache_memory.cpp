// Lab of lesson 12: the bytes of the KV cache. K and V of every layer are kept for every token, once for each key/value
// head, so that sharing heads (GQA, MQA) is what makes the cache small.
#include <fmt/format.h>

#include "console/memory.hpp"
#include "console/model_loading.hpp"
#include "console/token_rows.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "kv_cache_memory/cache_size.hpp"
#include "kv_cache_memory/explanations.hpp"
#include "labs.hpp"
#include "model/parameters.hpp"
#include "report/lab_output.hpp"

namespace minimind {

namespace {

std::string bytes_cell(std::int64_t bytes) {
    return bytes_text(static_cast<double>(bytes));
}

void show_config(LabOutput& out, const ModelConfig& config, const CacheSize& size, const std::string& dtype) {
    out.section("Config");
    out.value("num_hidden_layers", config.num_hidden_layers);
    out.value("num_attention_heads", config.num_attention_heads);
    out.value("num_key_value_heads", config.num_key_value_heads);
    out.value("head_dim", config.head_dim);
    out.value("batch_size", size.batch.batch);
    out.value("dtype", dtype);
    out.value("bytes_per_number", size.bytes_per_number);
}

/// The formula with its factors for one token of one row.
void show_per_token(LabOutput& out, const ModelConfig& config, const CacheSize& size) {
    out.section("One Token");
    out.line("             2 *   L *   k *    D * bytes      bytes   to MHA");
    const std::int64_t most = cache_bytes(sharings(config).front().config, {{1, 1}, size.bytes_per_number});
    for (const Sharing& kind : sharings(config)) {
        const ModelConfig& c = kind.config;
        const std::int64_t bytes = cache_bytes(c, {{1, 1}, size.bytes_per_number});
        const double share = static_cast<double>(bytes) / static_cast<double>(most);
        out.row(
            fmt::format("{:<10}   2 * {:>3} * {:>3} * {:>4} * {:>5}  {:>9}   {:>6.3f}", kind.name(),
                        c.num_hidden_layers, c.num_key_value_heads, c.head_dim, size.bytes_per_number,
                        with_commas(bytes), share),
            {{"kind", kind.kind}, {"num_key_value_heads", c.num_key_value_heads}, {"bytes", bytes}, {"to_mha", share}});
    }
}

void show_by_length(LabOutput& out, const ModelConfig& config, const CacheSize& size,
                    const std::vector<std::int64_t>& lengths) {
    const auto weights = static_cast<double>(parameter_count(config) * size.bytes_per_number);
    const std::vector<Sharing> kinds = sharings(config);
    out.section("By Length");
    std::string heading = "  length";
    for (const Sharing& kind : kinds) heading += fmt::format("  {:>13}", kind.name());
    out.line(heading + "   this model / weights");
    for (const std::int64_t length : lengths) {
        std::string line = fmt::format("{:>8}", length);
        LabOutput::Json row = {{"length", length}};
        for (const Sharing& kind : kinds) {
            const std::int64_t bytes = cache_bytes(kind.config, {{size.batch.batch, length}, size.bytes_per_number});
            line += fmt::format("  {:>13}", bytes_cell(bytes));
            row[kind.kind] = bytes;
        }
        const std::int64_t own = cache_bytes(config, {{size.batch.batch, length}, size.bytes_per_number});
        const double ratio = static_cast<double>(own) / weights;
        row["to_weights"] = ratio;
        out.row(line + fmt::format("   {:>20.3f}", ratio), row);
    }
}

/// From how many tokens a row on the cache has more bytes than the weights, which have the same dtype.
void show_against_weights(LabOutput& out, const ModelConfig& config, const CacheSize& size) {
    const std::int64_t weights = parameter_count(config) * size.bytes_per_number;
    const std::int64_t a_token = cache_bytes(config, {{size.batch.batch, 1}, size.bytes_per_number});
    const std::int64_t tokens = (weights + a_token - 1) / a_token;
    out.section("Against The Weights");
    out.value("parameters", parameter_count(config), with_commas(parameter_count(config)));
    out.value("weights_bytes", weights, bytes_cell(weights));
    out.value("cache_bytes_of_one_more_token", a_token, with_commas(a_token));
    out.value("cache_outgrows_weights_at_length", tokens, with_commas(tokens));
    out.value("that_is_within_max_position_embeddings", tokens <= config.max_position_embeddings);
}

void show_engine(LabOutput& out, const ModelConfig& config, std::int64_t batch_size) {
    const std::int64_t prefill = std::min<std::int64_t>(8, config.max_position_embeddings);
    out.section("The Engine's Own Cache, In fp32");
    out.line("kind         length   formula bytes    bytes in use      allocated   equal");
    for (const Sharing& kind : sharings(config)) {
        for (const MeasuredCache& measured : measure_cache(kind.config, {batch_size, prefill})) {
            const std::int64_t formula = cache_bytes(kind.config, {{batch_size, measured.length}, 4});
            const bool is_equal = measured.in_use == formula;
            out.row(fmt::format("{:<10}  {:>7}  {:>14}  {:>14}  {:>13}   {}", kind.name(), measured.length,
                                with_commas(formula), with_commas(measured.in_use), with_commas(measured.allocated),
                                python_bool(is_equal)),
                    {{"kind", kind.kind},
                     {"length", measured.length},
                     {"formula_bytes", formula},
                     {"bytes_in_use", measured.in_use},
                     {"allocated_bytes", measured.allocated},
                     {"equal", is_equal}});
        }
    }
}

/// --lengths 1,100,1000; without it some up to the model's own limit. Throws Error for what is beyond it.
std::vector<std::int64_t> lengths_of(const std::optional<std::string>& flag, const ModelConfig& config) {
    const std::int64_t most = config.max_position_embeddings;
    if (flag) {
        const TokenIds rows = read_rows("--lengths", *flag);
        check_values(rows, {"length", most + 1, 0, fmt::format("max_position_embeddings is {}", most)},
                     flag_with_value("--lengths", *flag));
        return rows.ids;
    }
    std::vector<std::int64_t> lengths;
    for (const std::int64_t length : {1, 128, 1024, 4096, 8192, 16384}) {
        if (length < most) lengths.push_back(length);
    }
    lengths.push_back(most);
    return lengths;
}

/// The engine's cache is filled for real: the largest kind of it, the copy that grows, and the keys that go in.
void check_memory_of(const ModelConfig& config, std::int64_t batch_size) {
    const double need = 4.0 * static_cast<double>(cache_bytes(sharings(config).front().config, {{batch_size, 8}, 4}));
    const double available = available_memory();
    if (need <= available) return;
    throw Error(fmt::format("about {} of memory are needed to fill the engine's cache, {} are available",
                            bytes_text(need), bytes_text(available)))
        .at(fmt::format("--batch_size {} --num_hidden_layers {}", batch_size, config.num_hidden_layers))
        .help("use smaller sizes");
}

}  // namespace

int kv_cache_memory(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    model_flags.defaults = preset("minimind3");
    model_flags.default_preset = "minimind3";
    CacheSize size{{1, 1}};
    std::string dtype = "fp32";
    std::optional<std::string> lengths_flag;
    LabFlags flags;
    Arguments args("kv_cache_memory", "The bytes of the KV cache for MHA, GQA and MQA (lesson 12).");
    model_flags.add_sizes(args);
    model_flags.add_checkpoint(args);
    args.group("input");
    args.integer("--batch_size", size.batch.batch, "rows that are generated at once", {1, std::int64_t{1} << 31});
    args.value(
            "--lengths", [&](const std::string& text) { lengths_flag = text; }, "tokens in the cache: 1,100,1000")
        .value_name("LIST")
        .shown_default("some up to max_position_embeddings");
    args.choice("--dtype", dtype, {"fp32", "fp16", "bf16"},
                "of the cache and the weights; this engine computes in fp32");
    flags.add(args);
    args.example("minimind kv_cache_memory", "minimind3 at one row");
    args.example("minimind kv_cache_memory --batch_size 16 --dtype bf16", "sixteen rows, each number in two bytes");
    args.example("minimind kv_cache_memory --num_key_value_heads 8", "without sharing");
    if (!args.parse(words)) return 0;

    const ModelConfig config = load_config(model_flags);
    size.bytes_per_number = dtype == "fp32" ? 4 : 2;
    const std::vector<std::int64_t> lengths = lengths_of(lengths_flag, config);
    check_memory_of(config, size.batch.batch);

    LabOutput out("kv_cache_memory", flags);
    out.explain_with(explain_kv_cache_memory(config, size.batch.batch, dtype));
    show_config(out, config, size, dtype);
    show_per_token(out, config, size);
    show_by_length(out, config, size, lengths);
    show_against_weights(out, config, size);
    show_engine(out, config, size.batch.batch);
    out.finish();
    return 0;
}

}  // namespace minimind
