#include "console/text_flags.hpp"

#include <fmt/format.h>

#include <system_error>

#include "console/data_files.hpp"
#include "console/token_rows.hpp"
#include "core/error.hpp"
#include "tokenizer/json_source.hpp"

namespace minimind {

namespace fs = std::filesystem;

namespace {

bool is_there(const fs::path& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

/// The tokenizer that came with a checkpoint.
std::optional<fs::path> tokenizer_of(const fs::path& checkpoint) {
    std::error_code failed;
    if (fs::is_directory(checkpoint, failed)) {
        if (is_there(checkpoint / "tokenizer.json")) return checkpoint / "tokenizer.json";
        return std::nullopt;
    }
    const fs::path beside = checkpoint.parent_path() / "tokenizer.json";
    if (is_there(beside)) return beside;
    const fs::path of_repository = checkpoint.parent_path() / ".." / "model" / "tokenizer.json";
    if (checkpoint.extension() == ".pth" && is_there(of_repository)) return of_repository;
    return std::nullopt;
}

}  // namespace

std::optional<fs::path> find_tokenizer(const std::string& explicit_path, const CheckpointPath& checkpoint) {
    if (!explicit_path.empty()) return explicit_path;
    if (checkpoint) return tokenizer_of(*checkpoint);
    return data_file("labs/data/tokenizer.json");
}

void TextFlags::add_text(Arguments& args) {
    args.group("input");
    args.value(
            "--text", [this](const std::string& text) { text_ = text; }, "a text, whose tokens are the ids")
        .value_name("TEXT");
    args.group("");
}

void TextFlags::add_chat(Arguments& args, bool or_interactive) {
    const auto read = [this](const std::string& path) { chat_ = path; };
    const std::string file = "a chat: JSON, an array of messages or an object with messages and tools";
    args.group("input");
    if (or_interactive) {
        args.value("--chat", read, file + "; without FILE you talk to the model, line by line")
            .value_name("[FILE]")
            .alone_means("");
    } else {
        args.value("--chat", read, file).value_name("FILE");
    }
    args.group("");
}

void TextFlags::add_tokenizer(Arguments& args) {
    const auto read = [this](const std::string& path) {
        if (path.empty()) throw Error("--tokenizer_path is empty");
        tokenizer_path_ = path;
    };
    args.group("input");
    args.value("--tokenizer_path", read, "a tokenizer.json, or the directory that has it")
        .value_name("PATH")
        .shown_default("the checkpoint's; the project's without one");
    args.group("");
}

std::shared_ptr<const Tokenizer> TextFlags::tokenizer(const CheckpointPath& checkpoint) const {
    const std::optional<fs::path> path = find_tokenizer(tokenizer_path_, checkpoint);
    return path ? std::make_shared<const Tokenizer>(Tokenizer::from_path(*path)) : nullptr;
}

std::shared_ptr<const Tokenizer> TextFlags::required_tokenizer(const CheckpointPath& checkpoint,
                                                               const std::string& purpose,
                                                               const std::string& otherwise) const {
    std::shared_ptr<const Tokenizer> found = tokenizer(checkpoint);
    if (found) return found;
    Error error(fmt::format("{} needs the tokenizer that the checkpoint was trained with", purpose));
    error.at(flag_with_value("--checkpoint", *checkpoint));
    error.note("there is no tokenizer.json with it, and another tokenizer would give other ids");
    error.help("give it with --tokenizer_path PATH, a tokenizer.json or the directory that has it");
    if (!otherwise.empty()) error.help(otherwise);
    throw error;
}

std::optional<TokenIds> TextFlags::ids(const Tokenizer& tokenizer) const {
    check();
    if (text_) return one_row(tokenizer.encode(*text_, where()), where());
    if (!has_text()) return std::nullopt;
    return one_row(tokenizer.encode(tokenizer.render_chat(chat()), where()), where());
}

Chat TextFlags::chat() const {
    return read_chat(*chat_);
}

std::string TextFlags::where() const {
    return text_ ? flag_with_value("--text", *text_) : flag_with_value("--chat", chat_.value_or(""));
}

void TextFlags::check() const {
    if (!text_ || !chat_) return;
    throw Error("--text cannot be combined with --chat").at(where()).help("leave out one of them");
}

Chat read_chat(const std::string& path) {
    return parse_chat(read_text_file(path), path);
}

TokenIds one_row(std::vector<std::int64_t> ids, const std::string& where) {
    if (ids.empty()) {
        throw Error("the text has no tokens").at(where).help("a model needs at least one token to compute something");
    }
    TokenIds row;
    row.batch = {1, std::ssize(ids)};
    row.ids = std::move(ids);
    return row;
}

}  // namespace minimind
