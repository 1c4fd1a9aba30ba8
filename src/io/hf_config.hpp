// Hugging Face's config.json: the sizes of a model beside its weights.
//
// Read are the model types `minimind`, `qwen3` and `qwen3_moe`, in the spellings of transformers 4 (`rope_theta`,
// `torch_dtype`) and 5 (`rope_parameters`, `dtype`). A field that the file leaves out has the default of its model type
// in transformers. What this engine cannot honour, such as biases or sliding windows, is an error that names it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "io/config_fields.hpp"
#include "model/config.hpp"

namespace minimind {

struct HfConfig {
    ModelConfig config;      // completed
    std::string model_type;  // "minimind", "qwen3" or "qwen3_moe"
};

/// Reads config.json, given as a file or as the directory that holds it. Throws Error, which names the file and the
/// field: "config.json: hidden_size 0"; for an overridden field it names the flag.
HfConfig read_hf_config(const std::filesystem::path& path, const ConfigOverrides& overrides = {});

/// The same from a text; `file` is for messages. Without a model_type the text is MiniMind's.
HfConfig parse_hf_config(std::string_view text, const std::string& file, const ConfigOverrides& overrides = {});

/// All fields, in order, for dumps.
nlohmann::ordered_json to_json(const ModelConfig& config);

/// The text of a config.json that transformers reads as this model. Throws Error if a model of that type cannot have
/// such a config (qwen3 has no experts, for example). The config must be completed.
std::string hf_config_text(const ModelConfig& config, std::string_view model_type);

}  // namespace minimind
