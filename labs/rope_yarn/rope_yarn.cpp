// Lab of lesson 12: the frequencies of the rotary embedding, how YaRN stretches the slow ones, and why the score of a
// query and a key depends on their distance only. It needs no weights: everything follows from the config.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "console/memory.hpp"
#include "console/model_loading.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "labs.hpp"
#include "model/rope.hpp"
#include "report/lab_output.hpp"
#include "rope_yarn/explanations.hpp"
#include "rope_yarn/positions.hpp"
#include "rope_yarn/rope_flags.hpp"

namespace minimind {

namespace {

bool yarn_applies(const ModelConfig& config) {
    return config.max_position_embeddings > config.rope_scaling.original_max_position_embeddings;
}

/// YaRN as its paper writes it, in double. A pair that turns `turns` times within the original length has index
/// inv_dim(turns) = D ln(original / (2 pi turns)) / (2 ln theta), smaller for faster pairs.
struct Ramp {
    double low = 0.0;   // pairs up to here turn more than beta_fast times: left alone
    double high = 0.0;  // pairs from here on turn less than beta_slow times: slowed down by the whole factor

    explicit Ramp(const ModelConfig& config) {
        const RopeScaling& yarn = config.rope_scaling;
        const auto dim = static_cast<double>(config.head_dim);
        const auto original = static_cast<double>(yarn.original_max_position_embeddings);
        const auto inv_dim = [&](double turns) {
            return dim * std::log(original / (2.0 * std::numbers::pi * turns)) / (2.0 * std::log(config.rope_theta));
        };
        low = std::max(std::floor(inv_dim(yarn.beta_fast)), 0.0);
        high = std::min(std::ceil(inv_dim(yarn.beta_slow)), dim / 2.0 - 1.0);
    }

    double at(std::size_t pair) const {
        return std::clamp((static_cast<double>(pair) - low) / std::max(high - low, 0.001), 0.0, 1.0);
    }
};

void show_config(LabOutput& out, const ModelConfig& config) {
    const RopeScaling& yarn = config.rope_scaling;
    const Ramp ramp(config);
    out.section("Config");
    out.value("head_dim", config.head_dim);
    out.value("pairs", config.head_dim / 2);
    out.value("rope_theta", config.rope_theta);
    out.value("max_position_embeddings", config.max_position_embeddings);
    out.value("inference_rope_scaling", config.inference_rope_scaling);
    out.value("yarn_factor", yarn.factor);
    out.value("yarn_original_length", yarn.original_max_position_embeddings);
    out.value("yarn_applies_if_on", yarn_applies(config));
    out.value("yarn_ramp_from_pair", ramp.low, fmt::format("{:g}", ramp.low));
    out.value("yarn_ramp_to_pair", ramp.high, fmt::format("{:g}", ramp.high));
}

void show_frequencies(LabOutput& out, const ModelConfig& config) {
    const std::vector<float> plain = rope_frequencies(with_yarn(config, false));
    const std::vector<float> stretched = rope_frequencies(with_yarn(config, true));
    const auto original = static_cast<double>(config.rope_scaling.original_max_position_embeddings);
    const double factor = config.rope_scaling.factor;
    const Ramp ramp(config);
    const auto wavelength = [](float frequency) { return 2.0 * std::numbers::pi / static_cast<double>(frequency); };

    out.section("Frequencies");
    out.line(fmt::format("{:>4}  {:>12}  {:>12}  {:>13}   {:>5}  {:>15}", "pair", "f_i", "wavelength",
                         fmt::format("turns in {}", config.rope_scaling.original_max_position_embeddings), "ramp",
                         "YaRN wavelength"));
    constexpr std::size_t most = 16;
    const std::size_t step = (plain.size() + most - 1) / most;
    double difference = 0.0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const double shrink = yarn_applies(config) ? (1.0 - ramp.at(i)) + ramp.at(i) / factor : 1.0;
        const double by_hand = static_cast<double>(plain[i]) * shrink;
        difference = std::max(difference, std::abs(static_cast<double>(stretched[i]) - by_hand) / by_hand);
        if (i % step != 0 && i + 1 != plain.size()) continue;
        out.row(
            fmt::format("{:>4}  {:>12.6e}  {:>12.1f}  {:>13.3f}   {:>5.3f}  {:>15.1f}", i, plain[i],
                        wavelength(plain[i]), original / wavelength(plain[i]), ramp.at(i), wavelength(stretched[i])),
            {{"pair", i},
             {"frequency", plain[i]},
             {"wavelength", wavelength(plain[i])},
             {"turns", original / wavelength(plain[i])},
             {"ramp", ramp.at(i)},
             {"yarn_frequency", stretched[i]},
             {"yarn_wavelength", wavelength(stretched[i])}});
    }
    out.value("yarn_by_hand_vs_engine_max_relative_diff", difference, fmt::format("{:.12f}", difference));
}

void show_tables(LabOutput& out, const ModelConfig& config) {
    const std::int64_t values = 2 * config.max_position_embeddings * config.head_dim;
    const std::int64_t embedding = config.vocab_size * config.hidden_size;
    const RotaryTables row = rope_tables(config, config.max_position_embeddings - 1, 1);
    const arma::uword half = row.cos.n_rows / 2;
    const float difference = std::max(arma::abs(row.cos.head_rows(half) - row.cos.tail_rows(half)).max(),
                                      arma::abs(row.sin.head_rows(half) - row.sin.tail_rows(half)).max());
    const auto bytes = [&](const std::string& name, std::int64_t count) {
        out.value(name, 4 * count, bytes_text(4.0 * static_cast<double>(count)));
    };
    out.section("Tables");
    out.shape("freqs_cos", {config.max_position_embeddings, config.head_dim});
    out.shape("freqs_sin", {config.max_position_embeddings, config.head_dim});
    out.value("values", values, with_commas(values));
    bytes("bytes", values);
    bytes("bytes_repeated", values / 2);
    out.value("first_half_vs_second_half_max_abs_diff", difference, fmt::format("{:.12f}", difference));
    bytes("embed_tokens_bytes", embedding);
    const double ratio = static_cast<double>(values) / static_cast<double>(embedding);
    out.value("tables_to_embed_tokens", ratio, fmt::format("{:.4f}", ratio));
}

/// Queries and keys of one head, turned and not turned, by hand in double too: about 40 times tokens * D floats.
void check_memory_of(const ModelConfig& config) {
    const double need = 160.0 * static_cast<double>(tokens_to_shift(config)) * static_cast<double>(config.head_dim);
    const double available = available_memory();
    if (need <= available) return;
    throw Error(fmt::format("about {} of memory are needed, {} are available", bytes_text(need), bytes_text(available)))
        .at(fmt::format("--head_dim {}", config.head_dim))
        .help("use a smaller head_dim");
}

}  // namespace

int rope_yarn(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    model_flags.defaults = preset("minimind3");
    model_flags.default_preset = "minimind3";
    std::optional<std::string> positions;
    std::optional<std::int64_t> shift;
    LabFlags flags;
    Arguments args("rope_yarn", "Rotary frequencies, YaRN, and why only distances count (lesson 12).");
    model_flags.add_sizes(args);
    model_flags.add_checkpoint(args);
    args.group("input");
    args.value(
            "--positions", [&](const std::string& text) { positions = text; }, "distances to compare: 0,1,100")
        .value_name("LIST")
        .shown_default("0, powers of two, the last position");
    args.value(
            "--shift", [&](const std::string& text) { shift = read_integer(text, at_least(0)); },
            "the largest shift of all positions")
        .value_name("N")
        .shown_default("10000, or as far as the model goes");
    args.value(
            "--seed", [&](const std::string& text) { model_flags.seed = read_seed(text); },
            "q and k are those of torch.manual_seed(N)")
        .value_name("N")
        .shown_default("42");
    flags.add(args);
    args.example("minimind rope_yarn", "the rotary embedding of minimind3, with YaRN beside it");
    args.example("minimind rope_yarn --rope_theta 10000", "the base of the paper");
    args.example("minimind rope_yarn --inference_rope_scaling 1 --shift 30000", "shifts with YaRN on");
    if (!args.parse(words)) return 0;

    const ModelConfig config = load_config(model_flags);
    const std::vector<std::int64_t> distances = positions_of(positions, config);
    const std::vector<std::int64_t> shifts = shifts_of(shift, config);
    check_memory_of(config);

    LabOutput out("rope_yarn", flags);
    out.explain_with(explain_rope_yarn(config));
    show_config(out, config);
    show_frequencies(out, config);
    show_similarity(out, config, distances);
    show_shift(out, config, shifts, model_flags.seed);
    show_tables(out, config);
    out.finish();
    return 0;
}

}  // namespace minimind
