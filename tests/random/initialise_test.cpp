// Fresh models against PyTorch's, parameter by parameter in one buffer, so that the largest (198 million values) needs no
// more memory than its largest table.
#include "random/initialise.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using minimind::Generator;
using minimind::ModelConfig;
using minimind::ParameterInfo;
using minimind::ParameterKind;
using Json = nlohmann::json;

namespace {

Json golden(const std::string& name) {
    return Json::parse(std::ifstream(std::string(MINIMIND_GOLDEN_DIR) + "/init/" + name + ".json"));
}

ModelConfig config_of(const Json& fields) {
    ModelConfig config;
    config.hidden_size = fields.at("hidden_size");
    config.num_hidden_layers = fields.at("num_hidden_layers");
    config.num_attention_heads = fields.at("num_attention_heads");
    config.num_key_value_heads = fields.at("num_key_value_heads");
    config.vocab_size = fields.at("vocab_size");
    config.max_position_embeddings = fields.at("max_position_embeddings");
    config.intermediate_size = fields.value("intermediate_size", std::int64_t{0});
    config.tie_word_embeddings = fields.value("tie_word_embeddings", true);
    config.use_moe = fields.value("use_moe", false);
    return completed(config);
}

/// Compares each parameter when the next one is asked for.
class Comparison {
  public:
    explicit Comparison(const Json& expected) : expected_(expected) {}

    float* storage(const ParameterInfo& parameter) {
        finish();
        current_ = parameter.name;
        values_.resize(static_cast<std::size_t>(parameter.count()));
        return values_.data();
    }

    void finish() {
        if (current_.empty()) return;
        const Json& parameter = expected_.at(current_);
        for (const Json& sample : parameter.at("samples")) {
            const float value = values_.at(sample[0].get<std::size_t>());
            const float wanted = sample[1].get<float>();
            ++samples_;
            if (value == wanted) ++equal_samples_;
            if (std::abs(value - wanted) > 1e-6F * 0.02F) ++wrong_samples_;
        }
        check_sums(parameter);
        ++parameters_;
        current_.clear();
    }

    std::size_t parameters() const { return parameters_; }
    std::size_t samples() const { return samples_; }
    std::size_t equal_samples() const { return equal_samples_; }
    std::size_t wrong_samples() const { return wrong_samples_; }

  private:
    void check_sums(const Json& parameter) {
        double sum = 0.0;
        double sum_of_squares = 0.0;
        double sum_of_sizes = 0.0;
        for (const float value : values_) {
            const double x = static_cast<double>(value);
            sum += x;
            sum_of_squares += x * x;
            sum_of_sizes += std::abs(x);
        }
        // Up to five million double additions in another order. One value off by a unit in the last place would pass,
        // any that is missing, misplaced by more, or scaled would not.
        CAPTURE(current_);
        CHECK(std::abs(sum - parameter.at("sum").get<double>()) <= 1e-12 * sum_of_sizes);
        CHECK(std::abs(sum_of_squares - parameter.at("sum_sq").get<double>()) <= 1e-12 * sum_of_squares);
    }

    const Json& expected_;
    std::string current_;
    std::vector<float> values_;
    std::size_t parameters_ = 0;
    std::size_t samples_ = 0;
    std::size_t equal_samples_ = 0;
    std::size_t wrong_samples_ = 0;
};

std::vector<float> next_four(Generator& generator) {
    std::vector<float> values(4);
    for (float& value : values) value = generator.uniform_float();
    return values;
}

}  // namespace

TEST_CASE("fresh models equal PyTorch's") {
    for (const char* name : {"tiny", "untied", "moe", "hid96_l3", "odd_sizes", "few_values", "big_seed", "seq2048",
                             "minimind3", "minimind3_moe"}) {
        CAPTURE(name);
        const Json expected = golden(name);
        Generator generator(expected.at("seed").get<std::uint64_t>());
        Comparison comparison(expected.at("parameters"));
        initialise(config_of(expected.at("config")), generator,
                   [&](const ParameterInfo& parameter) { return comparison.storage(parameter); });
        comparison.finish();
        CHECK(comparison.parameters() == expected.at("parameters").size());
        CHECK(comparison.wrong_samples() == 0);
        // Bit for bit wherever Box-Muller runs in float32; few_values goes through the C library, see rng_golden_test.
        if (std::string(name) != "few_values") CHECK(comparison.equal_samples() == comparison.samples());
        CHECK(next_four(generator) == expected.at("rand_after_init").get<std::vector<float>>());
    }
}

TEST_CASE("the reference's list of draws, each value made, ends at the same number") {
    for (const char* name : {"tiny", "untied", "moe", "few_values", "odd_sizes"}) {
        CAPTURE(name);
        const Json expected = golden(name);
        Generator generator(expected.at("seed").get<std::uint64_t>());
        for (const Json& draw : expected.at("draws")) {
            const auto shape = draw[1].get<minimind::Shape>();
            std::vector<float> values(static_cast<std::size_t>(minimind::element_count(shape)));
            if (draw[0] == "normal") {
                generator.fill_normal(values.data(), values.size(), draw[2], draw[3]);
            } else {
                generator.fill_uniform(values.data(), values.size(), draw[2], draw[3]);
            }
        }
        CHECK(next_four(generator) == expected.at("rand_after_init").get<std::vector<float>>());
    }
}

TEST_CASE("a parameter that is not wanted changes no other") {
    ModelConfig config = completed(minimind::preset("tiny"));
    const std::string wanted = "model.layers.1.mlp.up_proj.weight";
    std::vector<float> buffer(6400 * 64);
    std::vector<float> from_all;
    std::vector<float> from_one(256 * 64);
    Generator all(1);
    bool is_wanted = false;
    initialise(config, all, [&](const ParameterInfo& parameter) {
        if (is_wanted) from_all.assign(buffer.begin(), buffer.begin() + 256 * 64);
        is_wanted = parameter.name == wanted;
        return buffer.data();
    });
    Generator one(1);
    initialise(config, one,
               [&](const ParameterInfo& parameter) { return parameter.name == wanted ? from_one.data() : nullptr; });
    CHECK(from_all == from_one);
    CHECK(all.draw32() == one.draw32());
}

TEST_CASE("random norm weights") {
    const ModelConfig config = completed(minimind::preset("tiny"));
    std::vector<float> buffer(64);
    std::vector<float> first;
    std::size_t asked = 0;
    Generator generator(42);
    initialise(config, generator, [](const ParameterInfo&) { return nullptr; });
    Generator reference = generator;
    random_norm_weights(config, generator, [&](const ParameterInfo& parameter) {
        CHECK(parameter.kind == ParameterKind::norm);
        if (++asked == 2) first.assign(buffer.begin(), buffer.begin() + 16);
        return buffer.data();
    });
    CHECK(asked == 9);  // four a block and the final one

    // The first is layer 0's q_norm, of 16 values. 1 + 0.1 n is rounded once here, so equal bits.
    std::vector<float> normal(16);
    reference.fill_normal(normal.data(), 16, 0.0, 1.0);
    REQUIRE(first.size() == 16);
    for (std::size_t i = 0; i < 16; ++i) CHECK(first[i] == std::fma(normal[i], 0.1F, 1.0F));
}
