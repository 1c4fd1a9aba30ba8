// Lab of lesson 4: what the tokenizer makes of special tokens, of a text, and of a chat.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console/console_flags.hpp"
#include "console/text_flags.hpp"
#include "core/text.hpp"
#include "labs.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

constexpr std::size_t shown_tokens = 40;

std::string id_list(const std::vector<std::int64_t>& ids) {
    return fmt::format("[{}]", fmt::join(ids, ", "));
}

/// The tokens as the vocabulary spells them, as a Python list of strings.
std::string raw_token_list(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids) {
    std::vector<std::string> tokens;
    for (const std::int64_t id : ids) tokens.push_back(python_repr(tokenizer.token(id)));
    return fmt::format("[{}]", fmt::join(tokens, ", "));
}

void print_special_token(const char* role, const std::optional<SpecialToken>& token) {
    const std::string text = token ? python_repr(token->text) : "None";
    const std::string id = token ? std::to_string(token->id) : "None";
    fmt::print("{}_token={}, {}_token_id={}\n", role, text, role, id);
}

void print_tokenizer(const Tokenizer& tokenizer) {
    fmt::print("[Tokenizer]\n");
    fmt::print("path={}\n", tokenizer.source());
    fmt::print("len(tokenizer)={}\n", tokenizer.size());
    fmt::print("vocab_size={}\n", tokenizer.vocab_size());
    print_special_token("bos", tokenizer.special_tokens().bos);
    print_special_token("eos", tokenizer.special_tokens().eos);
    print_special_token("pad", tokenizer.special_tokens().pad);
    print_special_token("unk", tokenizer.special_tokens().unk);
}

void print_text(const Tokenizer& tokenizer, const std::string& label, const std::string& text) {
    const std::vector<std::int64_t> ids = tokenizer.encode(text, "--text");
    fmt::print("\n[{}]\n", label);
    fmt::print("text={}\n", python_repr(text));
    fmt::print("input_ids={}\n", id_list(ids));
    fmt::print("raw_tokens={}\n", raw_token_list(tokenizer, ids));
    fmt::print("decoded_keep_special={}\n", python_repr(tokenizer.decode(ids)));
    fmt::print("decoded_skip_special={}\n", python_repr(tokenizer.decode(ids, true)));
}

void print_chat(const Tokenizer& tokenizer, const Chat& chat) {
    const std::string prompt = tokenizer.render_chat(chat);
    fmt::print("\n[Chat Template]\n");
    fmt::print("open_thinking={}\n", python_bool(chat.open_thinking));
    fmt::print("{}\n", prompt);

    const std::vector<std::int64_t> ids = tokenizer.encode(prompt, "the prompt");
    std::vector<std::int64_t> first = ids;
    first.resize(std::min(ids.size(), shown_tokens));
    fmt::print("\n[Prompt Encoding]\n");
    fmt::print("prompt_token_count={}\n", ids.size());
    fmt::print("first_40_prompt_ids={}\n", id_list(first));
    fmt::print("first_40_raw_tokens={}\n", raw_token_list(tokenizer, first));
    fmt::print("\n[Prompt Decode]\n");
    fmt::print("{}\n", tokenizer.decode(ids));
}

}  // namespace

int inspect_tokenizer(const std::vector<std::string>& words) {
    std::string text = "MiniMind 是什么？";
    bool open_thinking = false;
    CheckpointPath checkpoint;
    TextFlags text_flags;
    ConsoleFlags console;
    Arguments args("inspect_tokenizer", "Special tokens, a text and a chat as the tokenizer sees them (lesson 4).");
    args.text("--text", text, "the text, and what the user says in the chat");
    args.flag("--open_thinking", open_thinking, "the answer begins inside <think>");
    args.value(
            "--checkpoint", [&checkpoint](const std::string& path) { checkpoint = path; }, "use its tokenizer")
        .value_name("PATH");
    text_flags.add_chat(args);
    text_flags.add_tokenizer(args);
    console.add(args);
    args.example("minimind inspect_tokenizer", "the project's tokenizer");
    args.example("minimind inspect_tokenizer --text 'Hello, 你好' --tokenizer_path DIR", "your text, your tokenizer");
    if (!args.parse(words)) return 0;

    const auto tokenizer = text_flags.required_tokenizer(checkpoint, "inspect_tokenizer");
    Chat chat = text_flags.has_text() ? text_flags.chat() : user_chat(text);
    if (open_thinking) chat.open_thinking = true;
    print_tokenizer(*tokenizer);
    print_text(*tokenizer, "special token: im_start", "<|im_start|>");
    print_text(*tokenizer, "special token: im_end", "<|im_end|>");
    print_text(*tokenizer, "special token: think", "<think>");
    print_text(*tokenizer, "special token: /think", "</think>");
    print_text(*tokenizer, "plain text", text);
    print_chat(*tokenizer, chat);
    return 0;
}

}  // namespace minimind
