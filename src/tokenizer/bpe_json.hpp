// The parts of tokenizer.json that hold tokens: "model" and one entry of "added_tokens".
#pragma once

#include "tokenizer/json_source.hpp"
#include "tokenizer/tokenizer_json.hpp"

namespace minimind {

/// Fills in vocabulary (with room for the added tokens, which `rules` has already), model_vocab_size and bpe.
/// Throws Error for a vocabulary with equal ids, merges of or into tokens that are none, and options not supported.
void parse_bpe_model(const JsonFields& model, TokenizerRules& rules);

/// One added token; its id stands in the entry or, in tokenizer_config.json, is its key.
AddedToken parse_added_token(const JsonFields& entry, const nlohmann::json& id);

}  // namespace minimind
