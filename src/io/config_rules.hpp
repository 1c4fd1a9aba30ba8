// Which config.json files this engine can honour: the model types it knows, and what else a file must not ask for.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace minimind {

/// "minimind", "qwen3" or "qwen3_moe", from `model_type`, else from `architectures`; "minimind" if there is neither.
/// Throws Error for any other.
std::string model_type_of(const nlohmann::json& config, const std::string& file);

/// Throws Error, naming the field, if the config asks for something that would change the numbers and that the engine
/// does not have: biases, sliding windows, rotary embeddings of other types, layers that mix dense and MoE, quantised
/// weights, MiniMind's earlier kind of experts.
void check_honoured(const nlohmann::json& config, const std::string& model_type, const std::string& file);

}  // namespace minimind
