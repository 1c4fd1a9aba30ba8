// Fresh models of ten configs, up to minimind3 at [4, 340] and its MoE: loss, stages and logits of a forward pass with
// PyTorch's weights. Tolerance 2e-5 relative, for float32 sums in another order; a sum may differ by
// 2e-5 * max(|sum|, mean_rms * sqrt(count)), because rounding errors of many values add up like a random walk.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/hf_config.hpp"
#include "random/fresh_model.hpp"
#include "support/json_of.hpp"
#include "trace/recorder.hpp"

using namespace minimind;
using nlohmann::json;

namespace {

json read_case(const std::string& name) {
    std::ifstream file(std::filesystem::path(MINIMIND_GOLDEN_DIR) / "init" / (name + ".json"));
    return json_of(file);
}

TokenIds ids_of(const json& forward, std::int64_t vocab) {
    TokenIds ids{{forward.at("batch").get<std::int64_t>(), forward.at("seq").get<std::int64_t>()}, {}};
    for (std::int64_t i = 0; i < ids.batch.tokens(); ++i) ids.ids.push_back((7 * i + 1) % vocab);
    return ids;
}

/// A block's golden name is that of the module, ours that of its last stage.
std::string stage_name(const std::string& golden) {
    const std::string last = golden.substr(golden.rfind('.') + 1);
    return last.find_first_not_of("0123456789") == std::string::npos ? golden + ".resid_post" : golden;
}

bool within(double ours, double reference, double scale) {
    return std::abs(ours - reference) <= 2e-5 * scale;
}

void check_stages(const json& stages, const Recorder& recorder) {
    for (const auto& [name, expected] : stages.items()) {
        const std::string stage(name);
        CAPTURE(stage);
        const Record* record = recorder.find(stage_name(name));
        REQUIRE(record != nullptr);
        CHECK(record->shape == expected.at("shape").get<Shape>());
        const double mean_rms = expected.at("mean_rms").get<double>();
        const double sum = expected.at("sum").get<double>();
        const Statistics& s = record->statistics;
        CHECK(within(static_cast<double>(s.mean_rms), mean_rms, mean_rms));
        const double scale = std::max(std::abs(sum), mean_rms * std::sqrt(static_cast<double>(s.count)));
        CHECK(within(s.mean * static_cast<double>(s.count), sum, scale));
    }
}

void check_logits(const json& forward, const arma::fmat& logits) {
    const arma::fvec last = logits.col(logits.n_cols - 1);
    const double largest = std::max(1.0, static_cast<double>(arma::abs(last).max()));
    for (const json& sample : forward.at("logits_last")) {
        const auto place = sample[0].get<arma::uword>();
        CHECK(within(static_cast<double>(last[place]), sample[1].get<double>(), largest));
    }
    const json& argmax = forward.at("argmax_last_row");
    for (std::size_t i = 0; i < argmax.size(); ++i) {
        const arma::fvec column = logits.col(logits.n_cols - argmax.size() + i);
        CHECK(column.index_max() == argmax[i].get<arma::uword>());
    }
}

}  // namespace

TEST_CASE("fresh models compute what PyTorch's compute") {
    for (const std::string name : {"tiny", "hid96_l3", "moe", "untied", "odd_sizes", "few_values", "big_seed",
                                   "seq2048", "minimind3", "minimind3_moe"}) {
        CAPTURE(name);
        const json golden = read_case(name);
        const ModelConfig config = parse_hf_config(golden.at("config").dump(), name).config;
        Generator generator(golden.at("seed").get<std::uint64_t>());
        const CausalLm model = fresh_model(config, generator);
        const json& forward = golden.at("forward");

        Recorder recorder([](Site) { return true; }, false);
        ForwardOptions options;
        options.labels = ids_of(forward, config.vocab_size);
        options.hook = &recorder;
        const CausalLmOutput output = model.forward(*options.labels, options);
        const double loss = forward.at("loss").get<double>();
        CHECK(within(output.loss->mean, loss, loss));
        check_stages(forward.at("stages"), recorder);
        check_logits(forward, output.logits);
    }
}
