#include "model/config.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "model/activation.hpp"

using minimind::completed;
using minimind::Error;
using minimind::ModelConfig;
using minimind::preset;

namespace {

/// The error that a config gives; fails the test if it gives none.
Error error_of(const ModelConfig& config) {
    try {
        completed(config);
    } catch (const Error& error) {
        return error;
    }
    FAIL("no error");
    return Error("");
}

}  // namespace

TEST_CASE("derived sizes by hand") {
    const ModelConfig config = completed(preset("minimind3"));
    CHECK(config.head_dim == 96);             // 768 / 8
    CHECK(config.intermediate_size == 2432);  // 768 pi / 64 = 37.7, 38 * 64
    CHECK(config.moe_intermediate_size == 2432);
    CHECK(config.heads_per_kv_head() == 2);
    CHECK(config.q_size() == 768);
    CHECK(config.kv_size() == 384);

    const ModelConfig tiny = completed(preset("tiny"));
    CHECK(tiny.head_dim == 16);
    CHECK(tiny.intermediate_size == 256);  // 64 pi / 64 = 3.14, 4 * 64
    CHECK(tiny.vocab_size == 6400);
    CHECK(tiny.max_position_embeddings == 128);
    CHECK_FALSE(tiny.use_moe);
    CHECK(completed(preset("minimind3-moe")).use_moe);
}

TEST_CASE("sizes that are given are kept") {
    ModelConfig config;
    config.head_dim = 128;
    config.intermediate_size = 1000;
    config = completed(config);
    CHECK(config.head_dim == 128);
    CHECK(config.intermediate_size == 1000);
    CHECK(config.moe_intermediate_size == 1000);
    config.moe_intermediate_size = 7;
    CHECK(completed(config).moe_intermediate_size == 7);
}

TEST_CASE("what the reference builds is no error") {
    ModelConfig config;
    config.hidden_size = 770;  // 8 heads of 96: two values of the hidden state more than the heads hold
    CHECK(completed(config).head_dim == 96);
    config.num_experts = 0;  // not used without use_moe
    CHECK_NOTHROW(completed(config));
}

TEST_CASE("completing twice changes nothing") {
    for (const std::string& name : minimind::preset_names()) {
        const ModelConfig once = completed(preset(name));
        const ModelConfig twice = completed(once);
        CHECK(twice.head_dim == once.head_dim);
        CHECK(twice.intermediate_size == once.intermediate_size);
        CHECK(twice.moe_intermediate_size == once.moe_intermediate_size);
    }
}

TEST_CASE("heads that cannot share") {
    ModelConfig config;
    config.num_key_value_heads = 3;
    const Error error = error_of(config);
    CHECK(std::string(error.what()) == "8 query heads cannot share 3 key/value heads");
    CHECK(error.where() == "--num_key_value_heads 3");
    REQUIRE(error.notes().size() == 1);
    CHECK(error.notes()[0].find("= 8/3 query heads") != std::string::npos);
    REQUIRE(error.helps().size() == 1);
    CHECK(error.helps()[0] == "use 1, 2, 4 or 8");
    CHECK(error.exit_code() == 2);

    config.num_attention_heads = 7;
    CHECK(error_of(config).helps()[0] == "use 1 or 7");
    config.num_attention_heads = 1;
    CHECK(error_of(config).helps()[0] == "use 1");
    config.num_attention_heads = 5040;  // 60 divisors: the eight nearest to 11
    config.num_key_value_heads = 11;
    CHECK(error_of(config).helps()[0] == "use 6, 7, 8, 9, 10, 12, 14 or 15");
    config.num_attention_heads = std::numeric_limits<std::int32_t>::max();  // a prime: finding that takes no time
    CHECK(error_of(config).helps()[0] == "use 1 or 2147483647");
}

TEST_CASE("each size at its limits") {
    struct Field {
        const char* name;
        std::int64_t ModelConfig::*size;
        bool derived;
    };
    const Field fields[] = {
        {"hidden_size", &ModelConfig::hidden_size, false},
        {"num_hidden_layers", &ModelConfig::num_hidden_layers, false},
        {"vocab_size", &ModelConfig::vocab_size, false},
        {"num_attention_heads", &ModelConfig::num_attention_heads, false},
        {"num_key_value_heads", &ModelConfig::num_key_value_heads, false},
        {"head_dim", &ModelConfig::head_dim, true},
        {"intermediate_size", &ModelConfig::intermediate_size, true},
        {"max_position_embeddings", &ModelConfig::max_position_embeddings, false},
        {"num_experts", &ModelConfig::num_experts, false},
        {"num_experts_per_tok", &ModelConfig::num_experts_per_tok, false},
        {"moe_intermediate_size", &ModelConfig::moe_intermediate_size, true},
    };
    const std::int64_t bad[] = {0, -1, std::numeric_limits<std::int64_t>::min(), std::int64_t{1} << 31,
                                std::numeric_limits<std::int64_t>::max()};
    for (const Field& field : fields) {
        for (const std::int64_t value : bad) {
            if (field.derived && value == 0) continue;
            ModelConfig config = preset("minimind3-moe");
            config.*field.size = value;
            CAPTURE(field.name);
            CHECK(error_of(config).where() == minimind::as_flag(field.name, std::to_string(value)));
        }
    }
}

TEST_CASE("odd head_dim") {
    ModelConfig config;
    config.hidden_size = 60;
    config.num_attention_heads = 4;
    Error error = error_of(config);
    CHECK(std::string(error.what()) == "rotary embeddings need an even head_dim, not 15");
    CHECK(error.where() == "--hidden_size 60");
    CHECK(error.helps()[0] == "use a hidden_size of 64, or set head_dim to 16");
    config.hidden_size = 64;
    CHECK_NOTHROW(completed(config));

    config.head_dim = 17;
    error = error_of(config);
    CHECK(error.where() == "--head_dim 17");
    CHECK(error.helps()[0] == "use 16 or 18");

    config.head_dim = 0;
    config.hidden_size = 3;
    CHECK(std::string(error_of(config).what()) == "a hidden size of 3 is too small for 4 heads");
}

TEST_CASE("unknown activation and unknown preset") {
    ModelConfig config;
    for (const std::string& name : minimind::activation_names()) {
        config.hidden_act = name;
        CHECK_NOTHROW(completed(config));
    }
    config.hidden_act = "gelu-new2";
    const Error error = error_of(config);
    CHECK(error.notes()[0] == "known: silu, gelu, gelu_new, gelu_pytorch_tanh, relu");
    CHECK(error.helps()[0] == "did you mean 'gelu_new'?");
    config.hidden_act = "";
    CHECK(error_of(config).helps().empty());

    CHECK_THROWS_WITH_AS(preset("tini"), "unknown preset 'tini'", Error);
}

TEST_CASE("experts") {
    ModelConfig config = preset("minimind3-moe");
    config.num_experts_per_tok = 4;
    CHECK_NOTHROW(completed(config));
    config.num_experts_per_tok = 5;
    CHECK(std::string(error_of(config).what()) == "a token cannot use 5 of 4 experts");
}

TEST_CASE("numbers that are no numbers") {
    const double bad[] = {0.0, -1e-6, std::nan(""), std::numeric_limits<double>::infinity()};
    for (const double value : bad) {
        ModelConfig config;
        config.rope_theta = value;
        CHECK(error_of(config).where().find("--rope_theta") == 0);
        config = ModelConfig{};
        config.rms_norm_eps = value;
        CHECK(error_of(config).where().find("--rms_norm_eps") == 0);
        config = ModelConfig{};
        config.inference_rope_scaling = true;
        config.rope_scaling.factor = value;
        CHECK(error_of(config).where().find("--rope_scaling.factor") == 0);
    }
    ModelConfig config;
    config.rope_theta = 1e-300;  // 0 in float32
    CHECK(error_of(config).where() == "--rope_theta 1e-300");
    config.rope_theta = 1.0;
    CHECK_NOTHROW(completed(config));
    config.inference_rope_scaling = true;  // divides by ln(theta)
    CHECK(error_of(config).where() == "--rope_theta 1");
}

TEST_CASE("sizes that are too large together") {
    ModelConfig config;
    config.hidden_size = 1'000'000'000;
    CHECK(error_of(config).where() == "--hidden_size 1000000000");  // its intermediate size has more than 31 bits
    config = ModelConfig{};
    config.num_hidden_layers = 1'000'000'000;
    CHECK(std::string(error_of(config).what()) == "the model would have 11000000002 parameter tensors");
    CHECK(error_of(config).where() == "--num_hidden_layers 1000000000");
    config = ModelConfig{};
    config.num_attention_heads = 2'000'000'000;
    config.head_dim = 2'000'000'000;
    CHECK(error_of(config).where() == "--num_attention_heads 2000000000");
    config = ModelConfig{};
    config.head_dim = 2'000'000'000;
    config.max_position_embeddings = 2'000'000'000;
    CHECK(error_of(config).where() == "--max_position_embeddings 2000000000");
}

TEST_CASE("a field is named where it came from") {
    ModelConfig config;
    config.vocab_size = 0;
    const auto in_file = [](std::string_view field, std::string_view value) {
        return "config.json: " + std::string(field) + " = " + std::string(value);
    };
    try {
        completed(config, in_file);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.where() == "config.json: vocab_size = 0");
    }
}
