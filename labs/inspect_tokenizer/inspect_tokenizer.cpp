// Lab of lesson 4: what the tokenizer makes of special tokens, of a text, and of a chat.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console/text_flags.hpp"
#include "inspect_tokenizer/explanations.hpp"
#include "labs.hpp"
#include "report/lab_output.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

constexpr std::size_t shown_tokens = 40;

/// The tokens as the vocabulary spells them, as a Python list of strings.
void show_raw_tokens(LabOutput& out, const std::string& key, const Tokenizer& tokenizer,
                     const std::vector<std::int64_t>& ids) {
    std::vector<std::string> tokens;
    std::vector<std::string> quoted;
    for (const std::int64_t id : ids) {
        tokens.push_back(tokenizer.token(id));
        quoted.push_back(python_repr(tokens.back()));
    }
    out.value(key, tokens, fmt::format("[{}]", fmt::join(quoted, ", ")));
}

void show_quoted(LabOutput& out, const std::string& key, const std::string& text) {
    out.value(key, text, python_repr(text));
}

void show_role(LabOutput& out, const std::string& role, const std::optional<SpecialToken>& token) {
    const std::string key = role + "_token";
    LabOutput::Json values = {{key, nullptr}, {key + "_id", nullptr}};
    if (token) values = {{key, token->text}, {key + "_id", token->id}};
    const std::string text = token ? python_repr(token->text) : "None";
    const std::string id = token ? std::to_string(token->id) : "None";
    out.values(fmt::format("{0}={1}, {0}_id={2}", key, text, id), values);
}

void show_tokenizer(LabOutput& out, const Tokenizer& tokenizer) {
    out.section("Tokenizer");
    out.value("path", tokenizer.source());
    out.value("len(tokenizer)", tokenizer.size());
    out.value("vocab_size", tokenizer.vocab_size());
    show_role(out, "bos", tokenizer.special_tokens().bos);
    show_role(out, "eos", tokenizer.special_tokens().eos);
    show_role(out, "pad", tokenizer.special_tokens().pad);
    show_role(out, "unk", tokenizer.special_tokens().unk);
}

void show_text(LabOutput& out, const Tokenizer& tokenizer, const std::string& text) {
    const std::vector<std::int64_t> ids = tokenizer.encode(text, "--text");
    show_quoted(out, "text", text);
    out.value("input_ids", ids);
    show_raw_tokens(out, "raw_tokens", tokenizer, ids);
    show_quoted(out, "decoded_keep_special", tokenizer.decode(ids));
    show_quoted(out, "decoded_skip_special", tokenizer.decode(ids, true));
}

void show_prompt(LabOutput& out, const Tokenizer& tokenizer, const std::string& prompt, bool open_thinking) {
    out.section("Chat Template");
    out.value("open_thinking", open_thinking);
    out.values(prompt, {{"prompt", prompt}});

    const std::vector<std::int64_t> ids = tokenizer.encode(prompt, "the prompt");
    std::vector<std::int64_t> first = ids;
    first.resize(std::min(ids.size(), shown_tokens));
    out.section("Prompt Encoding");
    out.value("prompt_token_count", ids.size());
    out.value("first_40_prompt_ids", first);
    show_raw_tokens(out, "first_40_raw_tokens", tokenizer, first);

    const std::string decoded = tokenizer.decode(ids);
    out.section("Prompt Decode");
    out.values(decoded, {{"decoded", decoded}});
}

}  // namespace

int inspect_tokenizer(const std::vector<std::string>& words) {
    std::string text = "MiniMind 是什么？";
    bool open_thinking = false;
    CheckpointPath checkpoint;
    TextFlags text_flags;
    LabFlags lab_flags;
    Arguments args("inspect_tokenizer", "Special tokens, a text and a chat as the tokenizer sees them (lesson 4).");
    args.text("--text", text, "the text, and what the user says in the chat");
    args.flag("--open_thinking", open_thinking, "the answer begins inside <think>");
    args.value(
            "--checkpoint", [&checkpoint](const std::string& path) { checkpoint = path; }, "use its tokenizer")
        .value_name("PATH");
    text_flags.add_chat(args);
    text_flags.add_tokenizer(args);
    lab_flags.add(args);
    args.example("minimind inspect_tokenizer", "the project's tokenizer");
    args.example("minimind inspect_tokenizer --text 'Hello, 你好' --tokenizer_path DIR", "your text, your tokenizer");
    if (!args.parse(words)) return 0;

    const auto tokenizer = text_flags.required_tokenizer(checkpoint, "inspect_tokenizer");
    Chat chat = text_flags.has_text() ? text_flags.chat() : user_chat(text);
    if (open_thinking) chat.open_thinking = true;
    const std::string prompt = tokenizer->render_chat(chat);

    LabOutput out("inspect_tokenizer", lab_flags);
    out.explain_with(explain_tokenizer(*tokenizer, text, prompt, chat.open_thinking));
    show_tokenizer(out, *tokenizer);
    for (const std::string name : {"im_start", "im_end", "think", "/think"}) {
        const std::string token = name.substr(0, 3) == "im_" ? "<|" + name + "|>" : "<" + name + ">";
        out.section("special token: " + name, explain_special_token(*tokenizer, token));
        show_text(out, *tokenizer, token);
    }
    out.section("plain text");
    show_text(out, *tokenizer, text);
    show_prompt(out, *tokenizer, prompt, chat.open_thinking);
    out.finish();
    return 0;
}

}  // namespace minimind
