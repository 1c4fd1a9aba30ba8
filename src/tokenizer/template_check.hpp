// Is the chat template of a tokenizer_config.json MiniMind's? We render that one format (chat_template.hpp) and know
// it by a fingerprint of its Jinja text; any other template would give prompts the model was not trained on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace minimind {

/// The template without what Jinja itself passes over: white space between tags (MiniMind's all begin with "{%-" or
/// "{{-", which strip it), and more than one white space within a tag. Strings stay as they are.
std::string normalised_template(std::string_view jinja);

/// FNV-1a, 64 bits, of the normalised template.
std::uint64_t template_fingerprint(std::string_view jinja);

/// True for the template of minimind-3 (2026-03), the one with open_thinking.
bool is_minimind_template(std::string_view jinja);

}  // namespace minimind
