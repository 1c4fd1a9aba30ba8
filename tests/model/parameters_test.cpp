#include "model/parameters.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.hpp"
#include "support/json_of.hpp"

using minimind::completed;
using minimind::ModelConfig;
using minimind::ParameterInfo;
using minimind::ParameterKind;
using minimind::preset;

namespace {

std::int64_t total(const std::vector<ParameterInfo>& list) {
    std::int64_t count = 0;
    for (const ParameterInfo& parameter : list) count += parameter.count();
    return count;
}

}  // namespace

TEST_CASE("exact parameter counts") {
    ModelConfig config = completed(preset("minimind3"));
    CHECK(minimind::parameter_count(config) == 63'912'192);
    CHECK(minimind::active_parameter_count(config) == 63'912'192);
    config.tie_word_embeddings = false;
    CHECK(minimind::parameter_count(config) == 68'827'392);

    const ModelConfig moe = completed(preset("minimind3-moe"));
    CHECK(minimind::parameter_count(moe) == 198'416'640);
    CHECK(minimind::active_parameter_count(moe) == 63'936'768);
}

TEST_CASE("the parts of minimind3") {
    std::int64_t embedding = 0, attention = 0, feed_forward = 0, block_norms = 0, final_norm = 0;
    for (const ParameterInfo& parameter : minimind::parameter_list(completed(preset("minimind3")))) {
        const auto contains = [&](const char* part) { return parameter.name.find(part) != std::string::npos; };
        if (contains("embed_tokens")) embedding += parameter.count();
        if (contains("layers.7.self_attn")) attention += parameter.count();
        if (contains("layers.7.mlp")) feed_forward += parameter.count();
        if (contains("layers.7.") && contains("layernorm")) block_norms += parameter.count();
        if (parameter.name == "model.norm.weight") final_norm += parameter.count();
    }
    CHECK(embedding == 4'915'200);
    CHECK(attention == 1'769'664);
    CHECK(feed_forward == 5'603'328);
    CHECK(block_norms == 1'536);
    CHECK(final_norm == 768);
}

TEST_CASE("counts equal the list, names are unique") {
    for (const bool moe : {false, true}) {
        for (const bool tied : {false, true}) {
            ModelConfig config = preset("tiny");
            config.use_moe = moe;
            config.tie_word_embeddings = tied;
            config.head_dim = 10;  // so that no two sizes are equal by chance
            config.intermediate_size = 77;
            config.moe_intermediate_size = 51;
            config.num_experts = 3;
            config = completed(config);
            const std::vector<ParameterInfo> list = minimind::parameter_list(config);
            CHECK(total(list) == minimind::parameter_count(config));
            CHECK(static_cast<std::int64_t>(list.size()) == minimind::parameter_tensor_count(config));
            std::set<std::string> names;
            for (const ParameterInfo& parameter : list) names.insert(parameter.name);
            CHECK(names.size() == list.size());
            CHECK((list.back().name == "lm_head.weight") == !tied);
        }
    }
}

TEST_CASE("layer, expert and kind of a parameter") {
    ModelConfig config = preset("tiny");
    config.use_moe = true;
    int found = 0;
    for (const ParameterInfo& parameter : minimind::parameter_list(completed(config))) {
        if (parameter.name == "model.layers.1.mlp.experts.2.down_proj.weight") {
            ++found;
            CHECK(parameter.layer == 1);
            CHECK(parameter.expert == 2);
            CHECK(parameter.kind == ParameterKind::linear);
            CHECK(parameter.shape == minimind::Shape{64, 256});
        }
        if (parameter.name == "model.layers.1.mlp.gate.weight") {
            ++found;
            CHECK(parameter.expert == -1);
            CHECK(parameter.shape == minimind::Shape{4, 64});
        }
        if (parameter.name == "model.norm.weight") {
            ++found;
            CHECK(parameter.layer == -1);
            CHECK(parameter.kind == ParameterKind::norm);
        }
    }
    CHECK(found == 3);
}

TEST_CASE("names, order and shapes of the reference") {
    for (const char* name :
         {"tiny", "moe", "untied", "hid96_l3", "few_values", "odd_sizes", "minimind3", "minimind3_moe"}) {
        CAPTURE(name);
        std::ifstream file(std::string(MINIMIND_GOLDEN_DIR) + "/init/" + name + ".json");
        REQUIRE(file.good());
        const auto golden = minimind::ordered_json_of(file);
        const auto& fields = golden["config"];
        ModelConfig config;
        const auto take = [&](const char* field, auto& value) {
            if (fields.contains(field)) fields[field].get_to(value);
        };
        take("hidden_size", config.hidden_size);
        take("num_hidden_layers", config.num_hidden_layers);
        take("vocab_size", config.vocab_size);
        take("num_attention_heads", config.num_attention_heads);
        take("num_key_value_heads", config.num_key_value_heads);
        take("head_dim", config.head_dim);
        take("intermediate_size", config.intermediate_size);
        take("tie_word_embeddings", config.tie_word_embeddings);
        take("use_moe", config.use_moe);
        take("num_experts", config.num_experts);
        take("num_experts_per_tok", config.num_experts_per_tok);
        take("moe_intermediate_size", config.moe_intermediate_size);
        const std::vector<ParameterInfo> list = minimind::parameter_list(completed(config));
        REQUIRE(list.size() == golden["parameters"].size());
        std::size_t i = 0;
        for (const auto& [key, parameter] : golden["parameters"].items()) {
            CHECK(list[i].name == key);
            CHECK(list[i].shape == parameter["shape"].get<minimind::Shape>());
            ++i;
        }
        CHECK(total(list) == golden["parameter_count"].get<std::int64_t>());
    }
}

TEST_CASE("a count that overflows is refused, a long model is counted without a list") {
    ModelConfig config = completed(preset("tiny"));
    const std::int64_t one_layer = (minimind::parameter_count(config) - 64 - 6400 * 64) / 2;
    config.num_hidden_layers = 1'000'000'000;
    CHECK(minimind::parameter_count(config) == one_layer * 1'000'000'000 + 64 + 6400 * 64);
    config.hidden_size = 2'000'000'000;
    config.intermediate_size = 2'000'000'000;
    CHECK_THROWS_AS(minimind::parameter_count(config), minimind::Error);
}
