// `minimind tokenize`: text to token ids and back, and what a chat looks like to the model.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "cli/commands.hpp"
#include "console/cells.hpp"
#include "console/console_flags.hpp"
#include "console/table.hpp"
#include "console/text_flags.hpp"
#include "console/token_rows.hpp"
#include "core/error.hpp"
#include "tokenizer/json_source.hpp"

namespace minimind {

namespace {

/// What is shown: the ids, and for a chat the text that they are the ids of.
struct Tokenized {
    std::vector<std::int64_t> ids;
    std::optional<std::string> rendered;
    bool is_decoding = false;  // the ids were given, so the text is the answer
};

/// Standard input to its end, byte for byte.
std::string read_standard_input() {
    if (isatty(STDIN_FILENO) == 1) std::fputs("text (Ctrl-D ends it):\n", stderr);
    std::string text;
    std::array<char, 1 << 16> piece{};
    while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), stdin)) text.append(piece.data(), count);
    if (std::ferror(stdin) != 0) throw Error("it cannot be read").at("standard input");
    return text;
}

std::string hexadecimal(const std::string& bytes) {
    std::string result;
    for (const char byte : bytes) {
        if (!result.empty()) result += " ";
        result += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return result;
}

std::string table_of(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids) {
    Table table({{"id", Align::right}, {"bytes"}, {"text"}});
    for (const std::int64_t id : ids) {
        const std::string& bytes = tokenizer.token_bytes(id);
        table.add_row({std::to_string(id), hexadecimal(bytes), "\"" + visible(bytes) + "\""});
    }
    return table.text();
}

nlohmann::ordered_json json_of(const Tokenizer& tokenizer, const Tokenized& tokenized) {
    nlohmann::ordered_json json = {{"ids", tokenized.ids}};
    json["tokens"] = nlohmann::ordered_json::array();
    for (const std::int64_t id : tokenized.ids) json["tokens"].push_back(tokenizer.token(id));
    json["decoded"] = tokenizer.decode(tokenized.ids);
    if (tokenized.rendered) json["rendered"] = *tokenized.rendered;
    return json;
}

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);  // a text may hold a zero byte
}

struct TokenizeFlags {
    std::string text;
    std::string file;
    std::string ids;
    std::string chat;
    CheckpointPath checkpoint;
    std::string format = "text";

    void add(Arguments& args) {
        args.positional("TEXT", text, "the text; standard input without it").optional();
        args.text("--file", file, "the text in a file").value_name("FILE");
        args.text("--ids", ids, "decode these ids: 1,2,3").value_name("IDS");
        args.text("--chat", chat, "render a chat: JSON, an array of messages or an object with messages and tools")
            .value_name("FILE");
        args.value(
                "--checkpoint", [this](const std::string& path) { checkpoint = path; }, "use its tokenizer")
            .value_name("PATH");
        args.choice("--format", format, {"text", "json"}, "json: ids, tokens, decoded, and rendered for a chat");
    }
};

/// TEXT, --file, --ids and --chat each say what the input is: at most one of them.
void check_one_input(const Arguments& args) {
    std::string first;
    for (const std::string name : {"TEXT", "--file", "--ids", "--chat"}) {
        if (!args.given(name)) continue;
        if (!first.empty()) {
            throw Error(fmt::format("{} cannot be combined with {}", name, first))
                .at(name)
                .help("leave out one of them");
        }
        first = name;
    }
}

Tokenized tokenized(const Arguments& args, const TokenizeFlags& flags, const Tokenizer& tokenizer) {
    if (args.given("--ids")) {
        const TokenIds rows = read_rows("--ids", flags.ids);
        if (rows.batch.batch > 1) throw Error("only one row can be decoded").at(flag_with_value("--ids", flags.ids));
        return {rows.ids, std::nullopt, true};
    }
    if (args.given("--chat")) {
        const std::string rendered = tokenizer.render_chat(read_chat(flags.chat));
        return {tokenizer.encode(rendered, flags.chat), rendered};
    }
    if (args.given("--file")) return {tokenizer.encode(read_text_file(flags.file), flags.file), std::nullopt};
    if (args.given("TEXT")) return {tokenizer.encode(flags.text, flag_with_value("TEXT", flags.text)), std::nullopt};
    return {tokenizer.encode(read_standard_input(), "standard input"), std::nullopt};
}

}  // namespace

int tokenize_command(const std::vector<std::string>& words) {
    TokenizeFlags flags;
    TextFlags text_flags;
    ConsoleFlags console;
    Arguments args("tokenize", "Text to token ids and back; what a chat looks like to the model.");
    flags.add(args);
    text_flags.add_tokenizer(args);
    console.add(args);
    args.example("minimind tokenize '你好，MiniMind'", "id, bytes and text of each token");
    args.example("minimind tokenize --ids 1,25,26,2", "the text of ids");
    args.example("minimind tokenize --chat chat.json --format json", "a chat as text and as ids");
    args.example("minimind tokenize --file notes.txt --format json", "a file as it is, newlines included");
    if (!args.parse(words)) return 0;
    check_one_input(args);

    const auto tokenizer = text_flags.required_tokenizer(flags.checkpoint, "tokenize");
    const Tokenized result = tokenized(args, flags, *tokenizer);
    if (flags.format == "json") {
        print(json_of(*tokenizer, result).dump() + "\n");
        return 0;
    }
    if (result.rendered) print(*result.rendered + "\n");
    print(table_of(*tokenizer, result.ids));
    if (result.is_decoding) print("\n" + tokenizer->decode(result.ids) + "\n");
    return 0;
}

}  // namespace minimind
