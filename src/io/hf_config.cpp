#include "io/hf_config.hpp"

#include <fmt/core.h>

#include <limits>

#include "core/error.hpp"
#include "io/config_rules.hpp"
#include "io/file_kind.hpp"
#include "io/json_text.hpp"
#include "io/mapped_file.hpp"

namespace minimind {

namespace {

using nlohmann::json;

/// Sets the fields of a ModelConfig from a JSON object, with an error for a value of another kind.
class FieldReader {
  public:
    FieldReader(const json& object, const std::string& file) : object_(object), file_(file) {}

    void read_into(ModelConfig& config) const {
        for (const auto& field : integer_fields()) {
            const json* const value = present(field.name);
            if (value != nullptr) config.*field.member = integer(field.name, *value);
        }
        for (const auto& field : number_fields()) {
            const json* const value = present(field.name);
            if (value != nullptr) config.*field.member = number(field.name, *value);
        }
        for (const auto& field : truth_fields()) {
            const json* const value = present(field.name);
            if (value == nullptr) continue;
            if (!value->is_boolean()) fail(field.name, "true or false", *value);
            config.*field.member = value->get<bool>();
        }
        for (const auto& field : text_fields()) {
            const json* const value = present(field.name);
            if (value == nullptr) continue;
            if (!value->is_string()) fail(field.name, "a string", *value);
            config.*field.member = printable(value->get_ref<const std::string&>());
        }
    }

    void read_into(RopeScaling& scaling) const {
        const auto read = [this](std::string_view name, double& into) {
            const json* const value = present(name);
            if (value != nullptr) into = number(name, *value);
        };
        read("factor", scaling.factor);
        read("beta_fast", scaling.beta_fast);
        read("beta_slow", scaling.beta_slow);
        read("attention_factor", scaling.attention_factor);
        const json* const length = present("original_max_position_embeddings");
        if (length == nullptr) return;
        scaling.original_max_position_embeddings = integer("original_max_position_embeddings", *length);
    }

    double number(std::string_view name, const json& value) const {
        if (!value.is_number()) fail(name, "a number", value);
        return value.get<double>();
    }

    /// The value of a field, nullptr where it is missing or null: both mean the default.
    const json* present(std::string_view name) const {
        const auto found = object_.find(std::string(name));
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }

  private:
    std::int64_t integer(std::string_view name, const json& value) const {
        // generate() stops at any of several ends; the first is the model's own.
        const bool ids = name == "eos_token_id" || name == "bos_token_id";
        if (ids && value.is_array() && !value.empty()) return integer(name, value.front());
        const bool too_large = value.is_number_unsigned() &&
                               value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
        if (!value.is_number_integer() || too_large) fail(name, "a whole number", value);
        return value.get<std::int64_t>();
    }

    [[noreturn]] void fail(std::string_view name, const char* expected, const json& value) const {
        throw Error(fmt::format("{} must be {}, not {}", name, expected, json_kind(value)))
            .at(fmt::format("{}: {}", file_, name));
    }

    const json& object_;
    const std::string& file_;
};

/// What transformers 4.57 fills in for a field that the file leaves out.
ModelConfig defaults_of(const std::string& model_type) {
    ModelConfig config;
    if (model_type == "minimind") return config;
    config.vocab_size = 151936;
    config.rope_theta = 1e4;
    config.tie_word_embeddings = false;
    config.num_attention_heads = 32;
    if (model_type == "qwen3") {
        config.hidden_size = 4096;
        config.intermediate_size = 22016;
        config.num_hidden_layers = 32;
        config.num_key_value_heads = 32;
        config.head_dim = 128;
        return config;
    }
    config.use_moe = true;
    config.hidden_size = 2048;
    config.intermediate_size = 6144;
    config.moe_intermediate_size = 768;
    config.num_hidden_layers = 24;
    config.num_key_value_heads = 4;
    config.num_experts = 128;
    config.num_experts_per_tok = 8;
    config.norm_topk_prob = false;
    config.router_aux_loss_coef = 1e-3;
    return config;
}

/// transformers 5 keeps the base of the rotary frequencies, and any scaling, in `rope_parameters`; 4 keeps the scaling
/// in `rope_scaling`. `check_honoured` has seen to it that their type is one that we know.
void read_rope(const json& object, const std::string& file, ModelConfig& config) {
    for (const char* const key : {"rope_scaling", "rope_parameters"}) {
        const auto found = object.find(key);
        if (found == object.end() || !found->is_object()) continue;
        const std::string where = fmt::format("{}: {}", file, key);
        const FieldReader fields(*found, where);
        const json* const theta = fields.present("rope_theta");
        if (theta != nullptr) config.rope_theta = fields.number("rope_theta", *theta);
        if (config.inference_rope_scaling) fields.read_into(config.rope_scaling);
    }
}

std::string value_text(const ConfigOverrides& overrides, const std::string& file, std::string_view field,
                       std::string_view value) {
    return overrides.has(field) ? as_flag(field, value) : fmt::format("{}: {} {}", file, field, value);
}

}  // namespace

HfConfig parse_hf_config(std::string_view text, const std::string& file, const ConfigOverrides& overrides) {
    JsonLimits limits;
    limits.bytes = std::size_t{1} << 20;
    limits.duplicate_keys = true;  // as in Python, the last one counts
    const json object = parse_json(text, file, limits);
    if (!object.is_object()) throw Error("a config must be a JSON object, not " + json_kind(object)).at(file);

    HfConfig result;
    result.model_type = model_type_of(object, file);
    result.config = defaults_of(result.model_type);
    const FieldReader fields(object, file);
    fields.read_into(result.config);
    if (result.model_type != "minimind") {  // not fields of these types: the type says it
        result.config.use_moe = result.model_type == "qwen3_moe";
        result.config.inference_rope_scaling = false;
    }
    check_honoured(object, result.model_type, file);
    read_rope(object, file, result.config);
    // null stands for one key/value head a query head.
    const auto kv_heads = object.find("num_key_value_heads");
    if (kv_heads != object.end() && kv_heads->is_null()) {
        result.config.num_key_value_heads = result.config.num_attention_heads;
    }
    overrides.apply_to(result.config);
    result.config = completed(result.config, [&](std::string_view field, std::string_view value) {
        return value_text(overrides, file, field, value);
    });
    return result;
}

HfConfig read_hf_config(const std::filesystem::path& path, const ConfigOverrides& overrides) {
    std::error_code ignored;
    const bool directory = std::filesystem::is_directory(path, ignored);
    const MappedFile file(directory ? path / "config.json" : path);
    refuse_stand_ins(file.bytes(), file.name());
    return parse_hf_config(file.text(), file.name(), overrides);
}

}  // namespace minimind
