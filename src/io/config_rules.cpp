#include "io/config_rules.hpp"

#include <fmt/core.h>

#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "io/json_text.hpp"

namespace minimind {

namespace {

using nlohmann::json;

const std::vector<std::string> known_model_types = {"minimind", "qwen3", "qwen3_moe"};

/// The value of a field, nullptr where it is missing or null.
const json* present(const json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

[[noreturn]] void refuse(const std::string& file, const char* field, const json& value, const std::string& what) {
    throw Error(what).at(fmt::format("{}: {} {}", file, field, printable(value.dump(), 60)));
}

bool is_false(const json& value) {
    return value.is_boolean() ? !value.get<bool>() : value.is_number() && value.get<double>() == 0.0;
}

bool is_one(const json& value) {
    return value.is_number() && value.get<double>() == 1.0;
}

void check_attention(const json& config, const std::string& file) {
    for (const char* const field : {"attention_bias", "mlp_bias"}) {
        const json* const value = present(config, field);
        if (value != nullptr && !is_false(*value)) refuse(file, field, *value, "layers with a bias are not supported");
    }
    const json* const window = present(config, "use_sliding_window");
    if (window != nullptr && !is_false(*window)) {
        refuse(file, "use_sliding_window", *window, "attention in a sliding window is not supported");
    }
    const json* const types = present(config, "layer_types");
    if (types == nullptr) return;
    if (!types->is_array()) refuse(file, "layer_types", *types, "layer_types must be a list");
    for (const json& type : *types) {
        if (type != "full_attention") refuse(file, "layer_types", type, "only layers of full_attention are supported");
    }
}

void check_rope(const json& config, const std::string& model_type, const std::string& file) {
    const json* const share = present(config, "partial_rotary_factor");
    if (share != nullptr && !is_one(*share)) {
        refuse(file, "partial_rotary_factor", *share, "rotary embeddings of a part of each head are not supported");
    }
    // MiniMind has one kind of scaling, and `inference_rope_scaling` alone switches it on.
    const json* const switched_on = present(config, "inference_rope_scaling");
    const bool yarn = model_type == "minimind" && switched_on != nullptr && !is_false(*switched_on);
    for (const char* const field : {"rope_scaling", "rope_parameters"}) {
        const json* const scaling = present(config, field);
        if (scaling == nullptr) continue;
        if (!scaling->is_object()) refuse(file, field, *scaling, fmt::format("{} must be an object", field));
        const json* type = present(*scaling, "rope_type");
        if (type == nullptr) type = present(*scaling, "type");
        if (type == nullptr || *type == "default" || (*type == "yarn" && yarn)) continue;
        if (model_type == "minimind" && *type == "yarn") continue;  // switched off: the model ignores it, too
        refuse(file, field, *scaling,
               fmt::format("rotary embeddings of the type {} are not supported", printable(type->dump(), 40)));
    }
}

void check_experts(const json& config, const std::string& file) {
    const json* const dense = present(config, "mlp_only_layers");
    if (dense != nullptr && !(dense->is_array() && dense->empty())) {
        refuse(file, "mlp_only_layers", *dense, "models that mix dense and MoE layers are not supported");
    }
    const json* const step = present(config, "decoder_sparse_step");
    if (step != nullptr && !is_one(*step)) {
        refuse(file, "decoder_sparse_step", *step, "models that mix dense and MoE layers are not supported");
    }
    const json* const moe = present(config, "use_moe");
    if (moe != nullptr && is_false(*moe)) return;
    for (const char* const field : {"n_routed_experts", "n_shared_experts"}) {
        const json* const value = present(config, field);
        if (value != nullptr && !is_false(*value)) {
            refuse(file, field, *value, "the experts of earlier MiniMind models are not supported");
        }
    }
}

}  // namespace

std::string model_type_of(const json& config, const std::string& file) {
    const json* const type = present(config, "model_type");
    if (type != nullptr && !type->is_string()) {
        throw Error("model_type must be a string, not " + json_kind(*type)).at(file + ": model_type");
    }
    std::string name = type != nullptr ? type->get<std::string>() : "minimind";
    const json* const architectures = present(config, "architectures");
    if (type == nullptr && architectures != nullptr && architectures->is_array() && !architectures->empty()) {
        const json& first = architectures->front();
        if (first == "Qwen3ForCausalLM") return "qwen3";
        if (first == "Qwen3MoeForCausalLM") return "qwen3_moe";
        if (first.is_string()) name = first == "MiniMindForCausalLM" ? "minimind" : first.get<std::string>();
    }
    for (const std::string& known : known_model_types) {
        if (name == known) return name;
    }
    Error error(fmt::format("the model type \"{}\" is not supported", printable(name)));
    error.at(fmt::format("{}: model_type", file)).note("supported: minimind, qwen3, qwen3_moe");
    throw error;
}

void check_honoured(const json& config, const std::string& model_type, const std::string& file) {
    const json* const quantisation = present(config, "quantization_config");
    if (quantisation != nullptr) {
        refuse(file, "quantization_config", *quantisation, "quantised weights are not supported");
    }
    check_attention(config, file);
    check_rope(config, model_type, file);
    check_experts(config, file);
}

}  // namespace minimind
