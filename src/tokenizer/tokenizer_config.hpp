// tokenizer_config.json, which stands beside tokenizer.json and says what the special tokens are for:
//
//   bos_token, eos_token, pad_token, unk_token    a string, {"content": ...} or null
//   additional_special_tokens                     more tokens that decode can leave out
//   added_tokens_decoder                          {"1": {"content": "<|im_start|>", "special": true, ...}, ...}
//   chat_template                                 Jinja; or the file chat_template.jinja, which comes first
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer_json.hpp"

namespace minimind {

struct TokenizerConfig {
    std::string where;       ///< the file
    bool from_file = false;  ///< false: MiniMind's defaults, as there is no file
    std::optional<std::string> bos, eos, pad, unk;
    std::vector<std::string> additional_special_tokens;
    std::vector<AddedToken> added_tokens;
    bool add_prefix_space = false;
    std::vector<std::string> chat_templates;  ///< mostly one; some files have one more for tools
};

/// Without a file: bos <|im_start|>, eos <|im_end|>, pad and unk <|endoftext|>, and MiniMind's chat format.
TokenizerConfig default_tokenizer_config();

/// Throws Error for wrong types and for options that would change ids or text and are not supported.
TokenizerConfig parse_tokenizer_config(std::string_view text, const std::string& where);

/// Adds the config's added and special tokens to the rules, as transformers does. Throws Error if the config names a
/// token the tokenizer does not have; the defaults are left out silently.
void apply_tokenizer_config(const TokenizerConfig& config, TokenizerRules& rules);

}  // namespace minimind
