#include <doctest/doctest.h>

#include "io/hf_config.hpp"
#include "io/io_support.hpp"

using namespace minimind;
using namespace minimind::test;

namespace {

ModelConfig parsed_config(const std::string& text) {
    return parse_hf_config(text, "config.json").config;
}

std::string config_error(const std::string& text) {
    const Error error = error_of([&] { parsed_config(text); });
    CHECK(error.exit_code() == 2);
    return full_text(error);
}

}  // namespace

TEST_CASE("an empty config is MiniMind's default") {
    const ModelConfig config = parsed_config("{}");
    CHECK(config.hidden_size == 768);
    CHECK(config.num_hidden_layers == 8);
    CHECK(config.vocab_size == 6400);
    CHECK(config.head_dim == 96);
    CHECK(config.intermediate_size == 2432);  // ceil(768 pi / 64) * 64
    CHECK(config.tie_word_embeddings);
    CHECK(config.rope_theta == 1e6);
    CHECK(!config.use_moe);
}

TEST_CASE("what a file leaves out has the default of its model type in transformers 4.57") {
    const ModelConfig qwen3 = parsed_config(R"({"model_type": "qwen3"})");
    CHECK(qwen3.vocab_size == 151936);
    CHECK(qwen3.hidden_size == 4096);
    CHECK(qwen3.intermediate_size == 22016);
    CHECK(qwen3.num_hidden_layers == 32);
    CHECK(qwen3.num_attention_heads == 32);
    CHECK(qwen3.num_key_value_heads == 32);
    CHECK(qwen3.head_dim == 128);
    CHECK(qwen3.max_position_embeddings == 32768);
    CHECK(qwen3.rope_theta == 1e4);
    CHECK(qwen3.rms_norm_eps == 1e-6);
    CHECK(!qwen3.tie_word_embeddings);
    CHECK(!qwen3.use_moe);
    const ModelConfig moe = parsed_config(R"({"architectures": ["Qwen3MoeForCausalLM"]})");
    CHECK(moe.use_moe);
    CHECK(moe.hidden_size == 2048);
    CHECK(moe.num_hidden_layers == 24);
    CHECK(moe.num_key_value_heads == 4);
    CHECK(moe.head_dim == 64);  // this type has none: hidden_size / num_attention_heads
    CHECK(moe.num_experts == 128);
    CHECK(moe.num_experts_per_tok == 8);
    CHECK(moe.moe_intermediate_size == 768);
    CHECK(!moe.norm_topk_prob);
    CHECK(moe.router_aux_loss_coef == 1e-3);
    CHECK(!moe.tie_word_embeddings);
}

TEST_CASE("every config of the golden checkpoints") {
    struct Expected {
        const char* folder;
        const char* model_type;
        std::int64_t head_dim;
        double theta;
        bool tied;
        bool moe;
    };
    const Expected cases[] = {{"minimind_safetensors", "minimind", 6, 1e6, true, false},
                              {"minimind_moe", "minimind", 6, 1e6, true, true},
                              {"minimind_untied_sharded", "minimind", 6, 1e6, false, false},
                              {"qwen3", "qwen3", 8, 1e6, true, false},
                              {"qwen3_v5", "qwen3", 8, 1e6, true, false},  // rope_theta inside rope_parameters
                              {"qwen3_untied_bf16", "qwen3", 12, 1e4, false, false},
                              {"qwen3_moe", "qwen3_moe", 8, 1e4, false, true},
                              {"qwen3_moe_v5", "qwen3_moe", 8, 1e4, false, true}};
    for (const Expected& expected : cases) {
        CAPTURE(expected.folder);
        const HfConfig read = read_hf_config(golden("checkpoints") / expected.folder);
        CHECK(read.model_type == expected.model_type);
        CHECK(read.config.hidden_size == 24);
        CHECK(read.config.num_hidden_layers == 2);
        CHECK(read.config.vocab_size == 60);
        CHECK(read.config.head_dim == expected.head_dim);
        CHECK(read.config.rope_theta == expected.theta);
        CHECK(read.config.tie_word_embeddings == expected.tied);
        CHECK(read.config.use_moe == expected.moe);
        CHECK(read.config.max_position_embeddings == 64);
    }
}

TEST_CASE("both spellings of the rotary fields") {
    CHECK(parsed_config(R"({"model_type":"qwen3","rope_theta":5e5})").rope_theta == 5e5);
    CHECK(parsed_config(R"({"model_type":"qwen3","rope_parameters":{"rope_theta":2e5,"rope_type":"default"}})")
              .rope_theta == 2e5);
    CHECK(parsed_config(R"({"model_type":"qwen3","rope_scaling":null,"torch_dtype":"bfloat16"})").rope_theta == 1e4);
    const ModelConfig yarn = parsed_config(R"({"inference_rope_scaling":true,"rope_scaling":{"type":"yarn","factor":4,)"
                                           R"("original_max_position_embeddings":1024,"beta_fast":16,"beta_slow":2}})");
    CHECK(yarn.inference_rope_scaling);
    CHECK(yarn.rope_scaling.factor == 4.0);
    CHECK(yarn.rope_scaling.original_max_position_embeddings == 1024);
    CHECK(yarn.rope_scaling.beta_fast == 16.0);
    CHECK(yarn.rope_scaling.beta_slow == 2.0);
    CHECK(parsed_config(R"({"inference_rope_scaling":true})").rope_scaling.factor == 16.0);
}

TEST_CASE("null is the default; several ends of text: the first counts") {
    const ModelConfig config =
        parsed_config(R"({"num_key_value_heads":null,"head_dim":null,"eos_token_id":[7,8],"bos_token_id":null})");
    CHECK(config.num_key_value_heads == 8);
    CHECK(config.head_dim == 96);
    CHECK(config.eos_token_id == 7);
    CHECK(config.bos_token_id == 1);
}

TEST_CASE("what the engine cannot honour is an error that names it") {
    CHECK(contains(config_error(R"({"model_type":"llama"})"), "\"llama\" is not supported"));
    CHECK(contains(config_error(R"({"architectures":["MixtralForCausalLM"]})"), "MixtralForCausalLM"));
    CHECK(contains(config_error(R"({"attention_bias":true})"), "config.json: attention_bias true"));
    CHECK(contains(config_error(R"({"model_type":"qwen3","use_sliding_window":true})"), "sliding window"));
    CHECK(contains(config_error(R"({"layer_types":["full_attention","sliding_attention"]})"), "sliding_attention"));
    CHECK(contains(config_error(R"({"model_type":"qwen3","rope_scaling":{"rope_type":"yarn","factor":4}})"), "yarn"));
    CHECK(contains(config_error(R"({"rope_scaling":{"type":"linear","factor":2}})"), "linear"));
    CHECK(contains(config_error(R"({"rope_parameters":{"rope_type":"llama3"}})"), "llama3"));
    CHECK(contains(config_error(R"({"partial_rotary_factor":0.5})"), "partial_rotary_factor"));
    CHECK(contains(config_error(R"({"model_type":"qwen3_moe","mlp_only_layers":[0]})"), "mix dense and MoE"));
    CHECK(contains(config_error(R"({"model_type":"qwen3_moe","decoder_sparse_step":2})"), "mix dense and MoE"));
    CHECK(contains(config_error(R"({"quantization_config":{"quant_method":"gptq"}})"), "quantised"));
    CHECK(contains(config_error(R"({"use_moe":true,"n_routed_experts":4})"), "earlier MiniMind"));
}

TEST_CASE("wrong kinds and values name the field") {
    CHECK(contains(config_error(R"({"hidden_size":"768"})"),
                   "hidden_size must be a whole number, not the string \"768\""));
    CHECK(contains(config_error(R"({"hidden_size":768.0})"), "not the number 768.0"));
    CHECK(contains(config_error(R"({"hidden_size":99999999999999999999})"), "whole number"));
    CHECK(contains(config_error(R"({"hidden_size":18446744073709551615})"), "whole number"));
    CHECK(contains(config_error(R"({"rope_theta":[1]})"), "rope_theta must be a number, not a list"));
    CHECK(contains(config_error(R"({"use_moe":1})"), "use_moe must be true or false"));
    CHECK(contains(config_error(R"({"hidden_act":3})"), "hidden_act must be a string"));
    CHECK(contains(config_error(R"({"model_type":3})"), "model_type must be a string"));
    CHECK(contains(config_error(R"({"hidden_size":0})"), "config.json: hidden_size 0"));
    CHECK(contains(config_error(R"({"num_key_value_heads":3})"), "config.json: num_key_value_heads 3"));
    CHECK(contains(config_error(R"({"hidden_act":"swish9"})"), "swish9"));
    CHECK(contains(config_error("[]"), "must be a JSON object"));
    CHECK(contains(config_error("{\n  \"hidden_size\" 3}"), "line 2, column 17"));
    CHECK(contains(config_error(R"({"rms_norm_eps":1e999})"), "out of range"));
    CHECK(contains(config_error(std::string(100'000, '[')), "nested"));
    const TemporaryFolder folder;
    CHECK(contains(full_text(error_of([&] { read_hf_config(folder.path()); })), "no such file"));
}

TEST_CASE("flags take the place of fields, and errors name the flag") {
    ConfigOverrides flags;
    flags.values.rope_theta = 5e4;
    flags.values.num_key_value_heads = 3;
    flags.values.hidden_size = 1;  // not listed, so not taken
    flags.fields = {"rope_theta"};
    const ModelConfig config = parse_hf_config(R"({"hidden_size":64})", "config.json", flags).config;
    CHECK(config.rope_theta == 5e4);
    CHECK(config.hidden_size == 64);
    CHECK(config.head_dim == 8);  // derived after the flags are in
    flags.fields = {"num_key_value_heads"};
    const Error error = error_of([&] { parse_hf_config("{}", "config.json", flags); });
    CHECK(error.where() == "--num_key_value_heads 3");
}

TEST_CASE("what is written is read as the same config") {
    ModelConfig config;
    config.hidden_size = 48;
    config.num_attention_heads = 6;
    config.num_key_value_heads = 3;
    config.rope_theta = 12345.5;
    config.tie_word_embeddings = false;
    config.eos_token_id = 9;
    for (const bool moe : {false, true}) {
        config.use_moe = moe;
        const ModelConfig wanted = completed(config);
        for (const std::string model_type : {"minimind", moe ? "qwen3_moe" : "qwen3"}) {
            const HfConfig read = parse_hf_config(hf_config_text(wanted, model_type), "config.json");
            CHECK(read.model_type == model_type);
            // Dumps hold every field; only the experts of a dense qwen3 are not in its file.
            nlohmann::ordered_json a = to_json(wanted);
            nlohmann::ordered_json b = to_json(read.config);
            CHECK(a["hidden_size"] == 48);
            if (model_type == "qwen3") {
                for (const char* const field : {"num_experts", "num_experts_per_tok", "moe_intermediate_size"}) {
                    b[field] = a[field];
                }
            }
            CHECK(a.dump() == b.dump());
        }
        CHECK(contains(full_text(error_of([&] { hf_config_text(wanted, moe ? "qwen3" : "qwen3_moe"); })), "experts"));
    }
    config.inference_rope_scaling = true;
    const ModelConfig yarn = completed(config);
    CHECK(parsed_config(hf_config_text(yarn, "minimind")).inference_rope_scaling);
    CHECK(contains(full_text(error_of([&] { hf_config_text(yarn, "qwen3_moe"); })), "YaRN"));
    CHECK(contains(full_text(error_of([&] { hf_config_text(yarn, "bert"); })), "unknown model type"));
}
