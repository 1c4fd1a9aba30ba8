#include "tokenizer/chat_template.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "tokenizer/json_source.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view tools_before =
    "# Tools\n\n"
    "You may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n"
    "<tools>";
constexpr std::string_view tools_after =
    "\n</tools>\n\n"
    "For each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n"
    "<tool_call>\n"
    "{\"name\": <function-name>, \"arguments\": <args-json-object>}\n"
    "</tool_call>";

/// The field if it is there and a string, else null.
const std::string* string_field(const Json& object, const std::string& key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? &found->get_ref<const std::string&>() : nullptr;
}

std::string string_or_empty(const Json& object, const std::string& key) {
    const std::string* text = string_field(object, key);
    return text == nullptr ? "" : *text;
}

bool has_role(const Json& message, std::string_view role) {
    const std::string* found = string_field(message, "role");
    return found != nullptr && *found == role;
}

/// The array, or null if it is absent, null or empty. Throws Error if it is something else.
const Json* filled_array(const Json& value, const std::string& name) {
    if (value.is_null()) return nullptr;
    if (!value.is_array()) throw Error(name + " must be an array").note(std::string("found ") + value.type_name());
    return value.empty() ? nullptr : &value;
}

std::string without_leading_newlines(const std::string& text) {
    return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

std::string without_trailing_newlines(const std::string& text) {
    return text.substr(0, text.find_last_not_of('\n') + 1);  // npos + 1 is 0
}

std::string turn(std::string_view role, std::string_view text) {
    return fmt::format("<|im_start|>{}\n{}<|im_end|>\n", role, text);
}

/// The system turn in front: the first message if it is the system's, and the tools.
std::string opening(const Json& messages, const Json* tools) {
    const bool has_system = has_role(messages.front(), "system");
    const std::string system = has_system ? string_or_empty(messages.front(), "content") : "";
    if (tools == nullptr) return has_system ? turn("system", system) : "";
    std::string text = has_system ? system + "\n\n" : "";
    text += tools_before;
    for (const Json& tool : *tools) text += "\n" + python_json(tool);
    text += tools_after;
    return turn("system", text);
}

/// What the assistant thought and what it then said. Old conversations have both in one text.
struct Answer {
    std::string reasoning;
    std::string content;
};

Answer split_answer(const Json& message) {
    const std::string content = string_or_empty(message, "content");
    if (const std::string* reasoning = string_field(message, "reasoning_content")) return {*reasoning, content};
    const std::string opened = "<think>";
    const std::string closed = "</think>";
    const std::size_t first_end = content.find(closed);
    if (first_end == std::string::npos) return {"", content};
    std::string reasoning = without_trailing_newlines(content.substr(0, first_end));
    const std::size_t begin = reasoning.rfind(opened);
    if (begin != std::string::npos) reasoning = reasoning.substr(begin + opened.size());
    const std::size_t last_end = content.rfind(closed);
    return {without_leading_newlines(reasoning), without_leading_newlines(content.substr(last_end + closed.size()))};
}

std::string tool_call(const Json& call) {
    if (!call.is_object()) throw Error("a tool call must be an object");
    const auto wrapped = call.find("function");
    const bool unwrap = wrapped != call.end() && wrapped->is_object() && !wrapped->empty();
    const Json& function = unwrap ? *wrapped : call;
    const auto arguments = function.find("arguments");
    if (arguments == function.end()) throw Error("a tool call has no \"arguments\"");
    const std::string* verbatim = string_field(function, "arguments");
    return fmt::format("<tool_call>\n{{\"name\": \"{}\", \"arguments\": {}}}\n</tool_call>",
                       string_or_empty(function, "name"), verbatim != nullptr ? *verbatim : python_json(*arguments));
}

std::string assistant_turn(const Json& message) {
    const Answer answer = split_answer(message);
    const std::string reasoning = without_leading_newlines(without_trailing_newlines(answer.reasoning));
    std::string text = fmt::format("<think>\n{}\n</think>\n\n{}", reasoning, without_leading_newlines(answer.content));
    const auto calls = message.find("tool_calls");
    if (calls != message.end() && filled_array(*calls, "tool_calls") != nullptr) {
        bool newline = !answer.content.empty();  // before the first call only if something stands before it
        for (const Json& call : *calls) {
            if (newline) text += "\n";
            text += tool_call(call);
            newline = true;
        }
    }
    return turn("assistant", text);
}

/// Tool results in a row share one turn of the user.
std::string tool_result(const Json& messages, std::size_t i) {
    const bool first = i == 0 || !has_role(messages[i - 1], "tool");
    const bool last = i + 1 == messages.size() || !has_role(messages[i + 1], "tool");
    return fmt::format("{}\n<tool_response>\n{}\n</tool_response>{}", first ? "<|im_start|>user" : "",
                       string_or_empty(messages[i], "content"), last ? "<|im_end|>\n" : "");
}

std::string message_text(const Json& messages, std::size_t i) {
    const Json& message = messages[i];
    if (has_role(message, "user")) return turn("user", string_or_empty(message, "content"));
    if (has_role(message, "system") && i > 0) return turn("system", string_or_empty(message, "content"));
    if (has_role(message, "assistant")) return assistant_turn(message);
    if (has_role(message, "tool")) return tool_result(messages, i);
    return "";
}

bool flag(const Json& object, const std::string& key, bool fallback, const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return fallback;
    if (!found->is_boolean()) throw Error(key + " must be true or false").at(where);
    return found->get<bool>();
}

}  // namespace

Chat parse_chat(std::string_view json, const std::string& where) {
    Json root = parse_ordered_json_source(json, where);
    Chat chat;
    if (root.is_array()) {
        chat.messages = std::move(root);
    } else if (root.is_object() && root.contains("messages")) {
        chat.messages = root["messages"];
        if (root.contains("tools")) chat.tools = root["tools"];
        chat.add_generation_prompt = flag(root, "add_generation_prompt", chat.add_generation_prompt, where);
        chat.open_thinking = flag(root, "open_thinking", chat.open_thinking, where);
    } else {
        throw Error("a chat is a JSON array of messages, or an object with \"messages\"")
            .at(where)
            .help("for example: [{\"role\": \"user\", \"content\": \"Hello\"}]");
    }
    return chat;
}

Chat user_chat(const std::string& content) {
    Chat chat;
    chat.messages.push_back({{"role", "user"}, {"content", content}});
    return chat;
}

std::string render_minimind_chat(const Chat& chat) {
    const Json* messages = filled_array(chat.messages, "messages");
    if (messages == nullptr) throw Error("the chat has no messages").help("give it at least one");
    for (const Json& message : *messages) {
        if (!message.is_object()) throw Error("each message must be an object with \"role\" and \"content\"");
    }
    std::string text = opening(*messages, filled_array(chat.tools, "tools"));
    for (std::size_t i = 0; i < messages->size(); ++i) text += message_text(*messages, i);
    if (chat.add_generation_prompt) {
        text += "<|im_start|>assistant\n<think>\n";
        if (!chat.open_thinking) text += "\n</think>\n\n";
    }
    return text;
}

}  // namespace minimind
