#include "tokenizer/chat_template.hpp"

#include "support.hpp"
#include "tokenizer/template_check.hpp"

using namespace minimind;
using namespace minimind::testing;

namespace {

std::string render(const std::string& json) {
    return render_minimind_chat(parse_chat(json, "chat"));
}

std::string error(const std::string& json) {
    return error_of([&] { render(json); });
}

/// One assistant turn without the generation prompt, and without what stands around it.
std::string assistant(const std::string& fields) {
    const std::string text =
        render(R"({"add_generation_prompt": false, "messages": [{"role": "assistant", )" + fields + "}]}");
    const std::string before = "<|im_start|>assistant\n<think>\n";
    const std::string after = "<|im_end|>\n";
    REQUIRE(text.substr(0, before.size()) == before);
    REQUIRE(text.substr(text.size() - after.size()) == after);
    return text.substr(before.size(), text.size() - before.size() - after.size());
}

}  // namespace

TEST_CASE("chat: an array of messages asks for an answer") {
    CHECK(render(R"([{"role": "user", "content": "hi"}])") ==
          "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
    CHECK(render_minimind_chat(user_chat("hi")) == render(R"([{"role": "user", "content": "hi"}])"));
}

TEST_CASE("chat: content that is no string, roles that are unknown") {
    CHECK(render(R"({"add_generation_prompt": false, "messages": [
              {"role": "user", "content": ["x"]}, {"role": "critic", "content": "no"}, {"content": "no"},
              {"role": "user"}]})") == "<|im_start|>user\n<|im_end|>\n<|im_start|>user\n<|im_end|>\n");
}

TEST_CASE("chat: what the assistant thought") {
    CHECK(assistant(R"("content": "a")") == "\n</think>\n\na");
    CHECK(assistant(R"("content": "<think>\n\nx\n\n</think>\n\na\n")") == "x\n</think>\n\na\n");
    CHECK(assistant(R"("content": "b<think>x<think>y</think>m</think>a")") == "y\n</think>\n\na");
    CHECK(assistant(R"("content": "x</think>a")") == "x\n</think>\n\na");
    CHECK(assistant(R"("content": "<think>x")") == "\n</think>\n\n<think>x");
    CHECK(assistant(R"("reasoning_content": "\nr\n", "content": "<think>x</think>a")") ==
          "r\n</think>\n\n<think>x</think>a");
    CHECK(assistant(R"("reasoning_content": null, "content": "x</think>a")") == "x\n</think>\n\na");
}

TEST_CASE("chat: tool calls") {
    const std::string call = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": 1.0}}\n</tool_call>";
    const std::string plain = R"({"name": "f", "arguments": {"x": 1.0}})";
    CHECK(assistant(R"("tool_calls": [)" + plain + "]") == "\n</think>\n\n" + call);
    CHECK(assistant(R"("content": "a", "tool_calls": [{"function": )" + plain + "}]") == "\n</think>\n\na\n" + call);
    CHECK(assistant(R"("tool_calls": [)" + plain + "," + plain + "]") == "\n</think>\n\n" + call + "\n" + call);
    CHECK(assistant(R"("tool_calls": null, "content": "a")") == "\n</think>\n\na");
    CHECK(assistant(R"("tool_calls": [{"name": "f", "arguments": "as it is"}])") ==
          "\n</think>\n\n<tool_call>\n{\"name\": \"f\", \"arguments\": as it is}\n</tool_call>");
}

TEST_CASE("chat: what is no chat") {
    CHECK(contains(error("3"), "a chat is a JSON array"));
    CHECK(contains(error("{}"), "a chat is a JSON array"));
    CHECK(contains(error("[]"), "no messages"));
    CHECK(contains(error("[3]"), "must be an object"));
    CHECK(contains(error(R"({"messages": "hi"})"), "messages must be an array"));
    CHECK(contains(error(R"({"messages": [{}], "tools": {}})"), "tools must be an array"));
    CHECK(contains(error(R"({"messages": [{}], "open_thinking": 1})"), "open_thinking must be true or false"));
    CHECK(contains(error(R"([{"role": "assistant", "tool_calls": {}}])"), "tool_calls must be an array"));
    CHECK(contains(error(R"([{"role": "assistant", "tool_calls": [1]}])"), "must be an object"));
    CHECK(contains(error(R"([{"role": "assistant", "tool_calls": [{"name": "f"}]}])"), "no \"arguments\""));
    CHECK(contains(error(R"([{"role": "user", "content": 12345678901234567890123}])"), "18 digits"));
    CHECK(contains(error(R"([{"role": "user", "content": "\ud800"}])"), "not valid JSON"));
    CHECK(contains(error(std::string(200, '[')), "deeper than 100"));
    std::string many = "[{";
    for (int i = 0; i < 6000; ++i) many += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
    CHECK(contains(error(many + "}]"), "more than 5000 keys"));
}

TEST_CASE("template: white space that Jinja passes over makes no difference, all else does") {
    const std::string one = "{%- if  x %}\n    {{- 'a  b' }}\n{%- endif %}";
    CHECK(normalised_template(one) == "{%- if x %}{{- 'a  b' }}{%- endif %}");
    CHECK(template_fingerprint(one) == template_fingerprint("{%- if x %}{{- 'a  b' }}{%- endif %}\n"));
    CHECK(template_fingerprint(one) != template_fingerprint("{%- if x %}{{- 'a b' }}{%- endif %}"));
    CHECK(template_fingerprint(one) != template_fingerprint("{%- if x %}{{- 'a  b' }}{%- endif %}\n\n"));
    CHECK(template_fingerprint(one) != template_fingerprint("{%- if y %}{{- 'a  b' }}{%- endif %}"));
    // FNV-1a's own test values.
    CHECK(template_fingerprint("") == 0xcbf29ce484222325);
    CHECK(template_fingerprint("a") == 0xaf63dc4c8601ec8c);
    CHECK(template_fingerprint("foobar") == 0x85944171f73967e8);
}

TEST_CASE("template: another one is refused, never rendered as MiniMind's") {
    const std::string json = file_text(golden("demo/tokenizer.json"));
    const auto chat_error = [&](const std::string& config) {
        const auto tokenizer = Tokenizer::from_json(json, parse_tokenizer_config(config, "config"), "file");
        return error_of([&] { tokenizer.render_chat(user_chat("hi")); });
    };
    CHECK(contains(chat_error(R"({"chat_template": "{{ messages[0].content }}"})"), "is not MiniMind's"));
    CHECK(contains(chat_error(R"({"chat_template": [{"name": "default", "template": "x"}]})"), "is not MiniMind's"));
    CHECK(contains(chat_error("{}"), "has no chat template"));
    const auto without_config = Tokenizer::from_json(json, default_tokenizer_config(), "file");
    CHECK(error_of([&] { without_config.render_chat(user_chat("hi")); }).empty());
}
