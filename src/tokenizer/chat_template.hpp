// MiniMind's chat format: a conversation as the one text that the model was trained to continue.
//
//   <|im_start|>system\n ... <|im_end|>\n
//   <|im_start|>user\n ... <|im_end|>\n
//   <|im_start|>assistant\n<think>\n ... \n</think>\n\n ... <|im_end|>\n
//
// The original is a Jinja template in tokenizer_config.json. There is no Jinja library for C++ in the distributions we
// build on, so its semantics are written out here, and a file with another template is refused (template_check.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace minimind {

struct Chat {
    /// An array of objects: role ("system", "user", "assistant", "tool"), content, and for the assistant
    /// reasoning_content and tool_calls.
    nlohmann::ordered_json messages = nlohmann::ordered_json::array();
    /// An array of whatever describes a tool, or null.
    nlohmann::ordered_json tools;
    bool add_generation_prompt = true;  ///< end with the opening of the assistant's turn
    bool open_thinking = false;         ///< which leaves <think> open, instead of an empty think block
};

/// A chat from JSON: an array of messages, or an object with "messages" and, if wanted, "tools",
/// "add_generation_prompt" (true if absent) and "open_thinking" (false if absent); other keys are for others.
/// Throws Error, at `where`, for what is neither.
Chat parse_chat(std::string_view json, const std::string& where);

/// One user turn.
Chat user_chat(const std::string& content);

/// The text of a chat. What the format does with odd input: content that is no string counts as empty; a message with
/// an unknown role prints nothing; a system message that is not the first is a turn like any other.
/// Throws Error if there is no message, a message is no object, or tools and tool calls have the wrong form.
std::string render_minimind_chat(const Chat& chat);

}  // namespace minimind
