// All labs, by lesson. Each has a folder of its own here, with the name that the course gives it.
#pragma once

#include <vector>

#include "console/command.hpp"

namespace minimind {

const std::vector<Lab>& labs();

int compare_activations(const std::vector<std::string>& words);
int compare_norms(const std::vector<std::string>& words);
int compare_residual(const std::vector<std::string>& words);
int gemm_shapes(const std::vector<std::string>& words);
int inspect_model_config_params(const std::vector<std::string>& words);
int inspect_tokenizer(const std::vector<std::string>& words);
int kv_cache_memory(const std::vector<std::string>& words);
int logits_to_keep(const std::vector<std::string>& words);
int rope_yarn(const std::vector<std::string>& words);
int tied_embeddings(const std::vector<std::string>& words);
int trace_attention_shapes(const std::vector<std::string>& words);
int trace_block_shapes(const std::vector<std::string>& words);
int trace_cli_inference(const std::vector<std::string>& words);
int trace_ffn_moe(const std::vector<std::string>& words);
int trace_loss_shift(const std::vector<std::string>& words);
int trace_rope_kv_cache(const std::vector<std::string>& words);

}  // namespace minimind
