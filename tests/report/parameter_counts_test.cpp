#include "report/parameter_counts.hpp"

#include <doctest/doctest.h>

using namespace minimind;

namespace {

/// All dimensions differ, so that a swapped one shows: B4 S7 L5 h6 k2 D20 H96 I320 V6400.
ModelConfig config_c() {
    ModelConfig config = preset("tiny");
    config.hidden_size = 96;
    config.num_hidden_layers = 5;
    config.num_attention_heads = 6;
    config.num_key_value_heads = 2;
    config.head_dim = 20;
    return completed(config);
}

std::int64_t listed(const ModelConfig& config) {
    std::int64_t sum = 0;
    for (const ParameterInfo& parameter : parameter_list(config)) sum += parameter.count();
    return sum;
}

}  // namespace

TEST_CASE("the parts add up to the list of parameters, for every kind of model") {
    for (const std::string& name : preset_names()) {
        for (const bool tied : {true, false}) {
            ModelConfig config = preset(name);
            config.tie_word_embeddings = tied;
            config = completed(config);
            const ParameterCounts counts = count_parameters(config);
            CAPTURE(name);
            CHECK(counts.total == listed(config));
            CHECK(counts.total == counts.embedding + counts.blocks + counts.final_norm + counts.lm_head);
            CHECK(counts.blocks == config.num_hidden_layers * counts.block.total());
        }
    }
}

TEST_CASE("config C by hand") {
    const ParameterCounts counts = count_parameters(config_c());
    CHECK(counts.total == 1'230'056);
    CHECK(counts.block.self_attn == 2 * 96 * 120 + 2 * 96 * 40 + 2 * 20);
    CHECK(counts.block.mlp == 3 * 96 * 320);
    CHECK(counts.block.total() == 123'112);  // what one more layer adds
    CHECK(counts.active == counts.total);
    CHECK(element_count(counts.buffers.at(0).shape) == 128 * 20);
}

TEST_CASE("multiply-adds of one token by hand") {
    const MultiplyAdds work = count_multiply_adds(config_c(), 7);
    CHECK(work.projections == 5 * (2 * 96 * 120 + 2 * 96 * 40));
    CHECK(work.scores == 5 * 120 * 7);
    CHECK(work.values == work.scores);
    CHECK(work.mlp == 5 * 3 * 96 * 320);
    CHECK(work.lm_head == 6400 * 96);
    CHECK(work.total() == work.projections + 2 * work.scores + work.mlp + work.lm_head);
}

TEST_CASE("the trainer's line names the active parameters where not all are") {
    CHECK(trainer_line(count_parameters(completed(preset("minimind3")))) == "Model Params: 63.91M");
    const ParameterCounts moe = count_parameters(completed(preset("minimind3-moe")));
    CHECK(trainer_line(moe) == "Model Params: 198.42M-A63.94M");
    CHECK(moe.total - moe.active == 3 * 8 * moe.block.expert);  // three of four experts in eight layers
}
