#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/checkpoint.hpp"
#include "io/io_support.hpp"
#include "io/safetensors.hpp"

using namespace minimind;
using namespace minimind::test;

namespace {

std::vector<float> values_of(Checkpoint& checkpoint, const ParameterInfo& parameter) {
    const float* const data = checkpoint.data(parameter);
    return {data, data + parameter.count()};
}

/// All parameters of a golden checkpoint, one after the other.
std::vector<float> all_values(const std::string& name) {
    CAPTURE(name);
    Checkpoint checkpoint(golden("checkpoints/" + name));
    std::vector<float> values;
    for (const ParameterInfo& parameter : parameter_list(checkpoint.config())) {
        const std::vector<float> part = values_of(checkpoint, parameter);
        values.insert(values.end(), part.begin(), part.end());
    }
    return values;
}

std::string opening_error(const std::filesystem::path& path, const ConfigOverrides& flags = {}) {
    const Error error = error_of([&] { Checkpoint checkpoint(path, flags); });
    CHECK(error.exit_code() == 2);
    return full_text(error);
}

/// A small untied model whose parameters are 0, 1, 2, ..., saved into a folder; returns its config.
ModelConfig small_config(bool moe) {
    ModelConfig config;
    config.hidden_size = 8;
    config.num_hidden_layers = 2;
    config.vocab_size = 11;
    config.num_attention_heads = 2;
    config.num_key_value_heads = 1;
    config.intermediate_size = 6;
    config.max_position_embeddings = 32;
    config.tie_word_embeddings = false;
    config.use_moe = moe;
    config.num_experts = 3;
    config.moe_intermediate_size = 5;
    return completed(config);
}

std::map<std::string, std::vector<float>> counting_values(const ModelConfig& config) {
    std::map<std::string, std::vector<float>> values;
    float next = 0.0f;
    for (const ParameterInfo& parameter : parameter_list(config)) {
        std::vector<float>& tensor = values[parameter.name];
        for (std::int64_t i = 0; i < parameter.count(); ++i) tensor.push_back(next++);
    }
    return values;
}

void save(const std::filesystem::path& folder, const ModelConfig& config, const std::string& model_type,
          bool force = false) {
    const auto values = counting_values(config);
    save_checkpoint(
        folder, config, model_type, [&](const ParameterInfo& parameter) { return values.at(parameter.name).data(); },
        force);
}

/// Rewrites a safetensors file with some of its tensors changed, dropped ("") or added.
void rewrite(
    const std::filesystem::path& path, const std::function<std::string(const std::string&)>& new_name,
    const std::function<void(SafetensorsWriter&)>& add_more = [](SafetensorsWriter&) {}) {
    SafetensorsFile file(path);
    SafetensorsWriter writer(path);
    for (const StoredTensor& tensor : file.tensors()) {
        const std::string name = new_name(tensor.name);
        if (!name.empty()) writer.add(name, tensor.shape, file.to_f32(tensor));
    }
    add_more(writer);
    writer.finish();
}

std::string same_name(const std::string& name) {
    return name;
}

}  // namespace

TEST_CASE("one model in every form gives the same weights, bit for bit") {
    const std::vector<float> f32 = all_values("minimind_safetensors");
    CHECK(f32.size() == 10800);  // 60*24 + 2 * (2*24*24 + 2*12*24 + 3*40*24 + 2*6 + 2*24) + 24
    for (const char* const name :
         {"f32_tied.pth", "strided.pth", "one_storage.pth", "compiled.pth", "data_parallel.pth", "parameters.pth"}) {
        CHECK_MESSAGE(all_values(name) == f32, name);
    }
    const std::vector<float> f16 = all_values("pretrain_24.pth");
    CHECK(all_values("resume.pth") == f16);
    CHECK(all_values("minimind_bin_f16") == f16);
    const std::vector<float> bf16 = all_values("minimind_bf16");
    REQUIRE(f16.size() == f32.size());
    REQUIRE(bf16.size() == f32.size());
    for (std::size_t i = 0; i < f32.size(); ++i) {
        // Rounded to 11 and to 8 significant bits: half a unit in the last place. Below 2^-14 a half has fewer bits.
        REQUIRE(std::abs(f16[i] - f32[i]) <= std::max(std::abs(f32[i]) * 0x1p-11f, 0x1p-25f));
        REQUIRE(std::abs(bf16[i] - f32[i]) <= std::abs(f32[i]) * 0x1p-8f);
    }
    CHECK(all_values("qwen3_v5") == all_values("qwen3"));
    CHECK(all_values("qwen3_moe_v5") == all_values("qwen3_moe"));  // stacked experts and one tensor each
}

TEST_CASE("every golden checkpoint: names, shapes, finite values") {
    for (const char* const name :
         {"minimind_moe", "minimind_untied_sharded", "qwen3", "qwen3_moe", "qwen3_untied_bf16", "moe_bf16.pth"}) {
        CAPTURE(name);
        const std::vector<float> values = all_values(name);
        CHECK(std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x) && std::abs(x) < 10; }));
        CHECK(std::count(values.begin(), values.end(), 0.0f) < 3);
    }
}

TEST_CASE("mapped float32 weights are used in place") {
    Checkpoint checkpoint(golden("checkpoints/minimind_safetensors"));
    TensorFile& file = *checkpoint.files().front();
    for (const ParameterInfo& parameter : parameter_list(checkpoint.config())) {
        CHECK(reinterpret_cast<const std::byte*>(checkpoint.data(parameter)) == file.data(file.at(parameter.name)));
    }
    Checkpoint stacked(golden("checkpoints/qwen3_moe_v5"));  // parts of a stacked tensor, too
    TensorFile& one = *stacked.files().front();
    const std::byte* const gate_up = one.data(one.at("model.layers.1.mlp.experts.gate_up_proj"));
    for (const ParameterInfo& parameter : parameter_list(stacked.config())) {
        if (parameter.name != "model.layers.1.mlp.experts.2.up_proj.weight") continue;
        // [4, 32, 24]: entry 2, rows 16 to 31
        CHECK(reinterpret_cast<const std::byte*>(stacked.data(parameter)) == gate_up + (2 * 32 + 16) * 24 * 4);
    }
}

TEST_CASE("the sizes of a .pth follow from its tensors, the rest from flags") {
    const Checkpoint dense(golden("checkpoints/f32_tied.pth"));
    CHECK(dense.config().hidden_size == 24);
    CHECK(dense.config().num_hidden_layers == 2);
    CHECK(dense.config().vocab_size == 60);
    CHECK(dense.config().num_attention_heads == 4);
    CHECK(dense.config().num_key_value_heads == 2);
    CHECK(dense.config().head_dim == 6);
    CHECK(dense.config().intermediate_size == 40);
    CHECK(dense.config().tie_word_embeddings);
    CHECK(!dense.config().use_moe);
    CHECK(dense.config().max_position_embeddings == 32768);
    CHECK(dense.model_type() == "minimind");
    const Checkpoint moe(golden("checkpoints/moe_bf16.pth"));
    CHECK(moe.config().use_moe);
    CHECK(moe.config().num_experts == 3);
    CHECK(moe.config().moe_intermediate_size == 20);
    CHECK(moe.config().num_experts_per_tok == 1);
    ConfigOverrides flags;
    flags.values.rope_theta = 5e4;
    flags.values.num_experts_per_tok = 2;
    flags.values.hidden_size = 1;  // not named, so not taken
    flags.fields = {"rope_theta", "num_experts_per_tok"};
    const Checkpoint changed(golden("checkpoints/moe_bf16.pth"), flags);
    CHECK(changed.config().rope_theta == 5e4);
    CHECK(changed.config().num_experts_per_tok == 2);
    flags.values.num_experts_per_tok = 4;
    CHECK(contains(opening_error(golden("checkpoints/moe_bf16.pth"), flags), "--num_experts_per_tok 4"));
}

TEST_CASE("a checkpoint for another config is refused as load_state_dict does") {
    ConfigOverrides flags;
    flags.values.vocab_size = 61;
    flags.fields = {"vocab_size"};
    const auto path = golden("checkpoints/minimind_safetensors");
    const std::string text = opening_error(path, flags);
    CHECK(contains(text,
                   "size mismatch for model.embed_tokens.weight: the shape in the checkpoint is [60, 24], in the "
                   "model [61, 24]"));
    CHECK(contains(text, (path / "model.safetensors").string()));
    flags.values.num_hidden_layers = 3;
    flags.fields = {"num_hidden_layers"};
    CHECK(contains(opening_error(path, flags), "missing keys: \"model.layers.2.self_attn.q_proj.weight\""));
    flags.values.num_hidden_layers = 80'000;
    CHECK(contains(opening_error(path, flags), "the config has 80000 layers, but the checkpoint only 24 tensors"));
    flags.values.num_hidden_layers = 1;
    CHECK(contains(opening_error(path, flags), "unexpected keys: \"model.layers.1.input_layernorm.weight\""));
    flags.values.tie_word_embeddings = false;
    flags.fields = {"tie_word_embeddings"};
    CHECK(contains(opening_error(path, flags), "missing keys: \"lm_head.weight\""));
    CHECK(contains(opening_error(path, flags), "tie_word_embeddings false"));
}

TEST_CASE("a head beside a tied embedding must be equal to it") {
    const TemporaryFolder folder;
    ModelConfig config = small_config(false);
    config.tie_word_embeddings = true;
    save(folder.path(), config, "minimind");
    const std::vector<float> table = counting_values(config).at("model.embed_tokens.weight");
    const auto add_head = [&](float first) {
        rewrite(
            folder / "model.safetensors", [](const std::string& name) { return name == "lm_head.weight" ? "" : name; },
            [&](SafetensorsWriter& writer) {
                std::vector<float> head = table;
                head[0] = first;
                writer.add("lm_head.weight", {11, 8}, head);
            });
    };
    add_head(table[0]);
    CHECK(Checkpoint(folder.path()).config().tie_word_embeddings);
    add_head(99.0f);
    CHECK(contains(opening_error(folder.path()), "lm_head.weight differs from model.embed_tokens.weight"));
    ConfigOverrides flags;
    flags.values.tie_word_embeddings = false;
    flags.fields = {"tie_word_embeddings"};
    CHECK(!Checkpoint(folder.path(), flags).config().tie_word_embeddings);
    std::filesystem::remove(folder / "config.json");
    CHECK(!Checkpoint(folder.path()).config().tie_word_embeddings);  // seen in the tensors
}

TEST_CASE("what is saved is loaded, in every model type") {
    for (const bool moe : {false, true}) {
        const ModelConfig config = small_config(moe);
        for (const std::string model_type : {"minimind", moe ? "qwen3_moe" : "qwen3"}) {
            const TemporaryFolder folder;
            save(folder / "new", config, model_type);
            Checkpoint checkpoint(folder / "new");
            CHECK(checkpoint.model_type() == model_type);
            const auto expected = counting_values(config);
            const auto parameters = parameter_list(checkpoint.config());
            CHECK(parameters.size() == expected.size());
            for (const ParameterInfo& parameter : parameters) {
                CHECK(values_of(checkpoint, parameter) == expected.at(parameter.name));
            }
            const Error error = error_of([&] { save(folder / "new", config, model_type); });
            CHECK(contains(full_text(error), "already holds a checkpoint"));
            CHECK(error.exit_code() == 2);
            save(folder / "new", config, model_type, true);
        }
    }
    CHECK(error_of([] { save("/proc/no/such", small_config(false), "minimind"); }).exit_code() == 1);
}

TEST_CASE("single files: with the config beside them, and without") {
    const TemporaryFolder folder;
    ModelConfig config = small_config(false);
    config.rope_theta = 777.0;
    save(folder.path(), config, "minimind");
    CHECK(Checkpoint(folder / "model.safetensors").config().rope_theta == 777.0);
    std::filesystem::rename(folder / "config.json", folder / "other.json");
    const Checkpoint alone(folder / "model.safetensors");
    CHECK(alone.config().rope_theta == 1e6);
    CHECK(alone.config().hidden_size == 8);
}

TEST_CASE("prefixes are dropped, rotary buffers are passed over, names that then clash are an error") {
    const TemporaryFolder folder;
    save(folder.path(), small_config(false), "minimind");
    const auto path = folder / "model.safetensors";
    rewrite(
        path, [](const std::string& name) { return "module._orig_mod." + name; },
        [](SafetensorsWriter& writer) {
            writer.add("model.freqs_cos", {2}, std::vector<float>{1, 1});
        });
    Checkpoint checkpoint(folder.path());
    CHECK(checkpoint.data(parameter_list(checkpoint.config()).front())[3] == 3.0f);
    rewrite(path, same_name,
            [](SafetensorsWriter& writer) { writer.add("model.norm.weight", {8}, std::vector<float>(8, 1.0f)); });
    CHECK(contains(opening_error(folder.path()), "there are two tensors \"model.norm.weight\""));
}

TEST_CASE("models of another kind are refused by what they lack or have too much") {
    const TemporaryFolder folder;
    save(folder.path(), small_config(false), "minimind");
    const auto path = folder / "model.safetensors";
    rewrite(path, same_name, [](SafetensorsWriter& writer) {
        writer.add("model.layers.0.self_attn.q_proj.bias", {8}, std::vector<float>(8, 1.0f));
    });
    CHECK(contains(opening_error(folder.path()), "layers with a bias are not supported"));
    rewrite(path,
            [](const std::string& name) { return contains(name, "q_norm") || contains(name, "bias") ? "" : name; });
    CHECK(contains(opening_error(folder.path()), "models without q_norm are not supported"));
    std::filesystem::remove(folder / "config.json");
    CHECK(contains(opening_error(folder.path()), "models without q_norm are not supported"));
    rewrite(path, [](const std::string& name) { return "transformer." + name; });
    CHECK(contains(opening_error(folder.path()), "there is no tensor \"model.embed_tokens.weight\""));
}

TEST_CASE("shapes from which no model follows") {
    const auto message = [](const std::string& tensor, const Shape& shape) {
        const TemporaryFolder folder;
        save(folder.path(), small_config(false), "minimind");
        std::filesystem::remove(folder / "config.json");
        rewrite(
            folder / "model.safetensors", [&](const std::string& name) { return name == tensor ? "" : name; },
            [&](SafetensorsWriter& writer) {
                writer.add(tensor, shape, std::vector<float>(static_cast<std::size_t>(element_count(shape))));
            });
        return opening_error(folder.path());
    };
    CHECK(contains(message("model.embed_tokens.weight", {88}), "2 axes were expected"));
    CHECK(contains(message("model.embed_tokens.weight", {0, 8}), "vocab_size"));
    CHECK(contains(message("model.layers.0.self_attn.q_norm.weight", {0}), "cannot be split into heads of 0"));
    CHECK(contains(message("model.layers.0.self_attn.q_norm.weight", {3}), "cannot be split into heads of 3"));
    CHECK(contains(message("model.layers.0.self_attn.k_proj.weight", {12, 8}), "num_key_value_heads 3"));
    CHECK(contains(message("model.layers.999999999.x", {1}), "belongs to layer 999999999"));
    CHECK(contains(message("model.layers.1.mlp.up_proj.weight", {6, 9}), "size mismatch"));
}

TEST_CASE("directories and shards that are wrong") {
    const TemporaryFolder folder;
    CHECK(contains(opening_error(folder.path()), "holds no weights"));
    CHECK(contains(opening_error(folder / "missing"), "no such file"));
    write_bytes(folder / "pretrain_512.pth", "PK");
    CHECK(contains(opening_error(folder.path()), "pretrain_512.pth"));
    const auto index_error = [&](const std::string& text) {
        write_bytes(folder / "model.safetensors.index.json", text);
        return opening_error(folder.path());
    };
    CHECK(contains(index_error("{}"), "weight_map"));
    CHECK(contains(index_error(R"({"weight_map":{}})"), "weight_map"));
    CHECK(contains(index_error(R"({"weight_map":{"a":"../secret.safetensors"}})"), "without a folder"));
    CHECK(contains(index_error(R"({"weight_map":{"a":5}})"), "without a folder"));
    CHECK(contains(index_error(R"({"weight_map":{"a":"one.safetensors"}})"), "no such file"));
    SafetensorsWriter writer(folder / "one.safetensors");
    writer.add("b", {1}, std::vector<float>{1});
    writer.finish();
    CHECK(contains(index_error(R"({"weight_map":{"a":"one.safetensors"}})"), "the shard has no tensor \"a\""));
    write_bytes(folder / "config.json", R"({"num_hidden_layers":1})");
    CHECK(contains(index_error(R"({"weight_map":{"b":"one.safetensors"}})"), "unexpected keys: \"b\""));
}
