// What inspect_tokenizer says under its sections with --explain.
#pragma once

#include "report/explanations.hpp"
#include "tokenizer/tokenizer.hpp"

namespace minimind {

/// `text` is the plain text, `prompt` the rendered chat.
Explanations explain_tokenizer(const Tokenizer& tokenizer, const std::string& text, const std::string& prompt,
                               bool open_thinking);

/// Under a section about a text that may be a token of its own, such as "<think>".
Words explain_special_token(const Tokenizer& tokenizer, const std::string& text);

}  // namespace minimind
