// Text in place of token ids: --text, --chat and --tokenizer_path, and which tokenizer turns them into ids.
//
//   1. --tokenizer_path, if it was given
//   2. the checkpoint's own: tokenizer.json in its directory, or for a .pth in ../model/ beside it, which is where
//      MiniMind's repository has it
//   3. without a checkpoint the project's, labs/data/tokenizer.json
//
// A checkpoint never gets the project's: the sizes agree, so nothing would fail, but the text would be nonsense.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "console/arguments.hpp"
#include "model/minimind_model.hpp"
#include "tokenizer/tokenizer.hpp"

namespace minimind {

/// The value of --checkpoint, if it was given.
using CheckpointPath = std::optional<std::string>;

/// Where the tokenizer of a model is, or nothing if it is a checkpoint without one. `explicit_path` is --tokenizer_path,
/// empty if it was not given.
std::optional<std::filesystem::path> find_tokenizer(const std::string& explicit_path, const CheckpointPath& checkpoint);

class TextFlags {
  public:
    TextFlags() = default;
    TextFlags(const TextFlags&) = delete;  // the flags are bound to this object
    TextFlags& operator=(const TextFlags&) = delete;

    void add_text(Arguments& args);
    /// --chat FILE. With `or_interactive` the file may be left out; is_interactive() then says so.
    void add_chat(Arguments& args, bool or_interactive = false);
    void add_tokenizer(Arguments& args);

    const std::optional<std::string>& text() const { return text_; }
    /// Is there a text to be turned into ids?
    bool has_text() const { return text_ || (chat_ && !chat_->empty()); }
    bool is_interactive() const { return chat_ && chat_->empty(); }

    /// The chat of --chat FILE. Precondition: has_text(), and no --text.
    Chat chat() const;

    /// The tokenizer, or null for a checkpoint without one. Throws Error if there is one that cannot be used.
    std::shared_ptr<const Tokenizer> tokenizer(const CheckpointPath& checkpoint) const;

    /// The same, but a missing one is an Error that asks for --tokenizer_path. `purpose` is what needs it ("--text"),
    /// `otherwise` what works without one.
    std::shared_ptr<const Tokenizer> required_tokenizer(const CheckpointPath& checkpoint, const std::string& purpose,
                                                        const std::string& otherwise = "") const;

    /// The ids of --text or --chat as one row, or nothing if neither was given or the chat is interactive. Throws Error
    /// for text that is not UTF-8 or has no tokens, for a file that is no chat, and if both were given.
    std::optional<TokenIds> ids(const Tokenizer& tokenizer) const;

    /// What to call the text in an error: "--text" or "--chat FILE".
    std::string where() const;

    /// Throws Error if both --text and --chat were given.
    void check() const;

  private:
    std::optional<std::string> text_;
    std::optional<std::string> chat_;
    std::string tokenizer_path_;
};

/// A chat from a JSON file (parse_chat says what it may hold). Throws Error.
Chat read_chat(const std::string& path);

/// One row of ids. Throws Error, at `where`, if there are none.
TokenIds one_row(std::vector<std::int64_t> ids, const std::string& where);

}  // namespace minimind
