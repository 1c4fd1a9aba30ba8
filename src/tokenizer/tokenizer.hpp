// Text to token ids and back:
//
//   text -> pieces between added tokens -> normal form -> words -> bytes -> merges -> ids
//   ids -> tokens -> bytes -> text
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/added_tokens.hpp"
#include "tokenizer/chat_template.hpp"
#include "tokenizer/tokenizer_config.hpp"
#include "tokenizer/tokenizer_json.hpp"
#include "tokenizer/utf8.hpp"

namespace minimind {

/// A token with a role: its text and its id.
struct SpecialToken {
    std::string text;
    std::int64_t id = 0;
};

struct SpecialTokens {
    std::optional<SpecialToken> bos, eos, pad, unk;
};

class Tokenizer {
  public:
    /// `path`: a tokenizer.json, or a directory that has one; tokenizer_config.json and chat_template.jinja are read if
    /// they stand beside it. Throws Error for what is missing, wrong or not supported.
    static Tokenizer from_path(const std::filesystem::path& path);

    /// `where` names the source in errors.
    static Tokenizer from_json(std::string_view tokenizer_json, const TokenizerConfig& config,
                               const std::string& where);

    /// The ids of `text`; nothing is put before or after. Throws Error if it is not UTF-8 (`where` says what it is).
    std::vector<std::int64_t> encode(std::string_view text, const std::string& where = "the text") const;

    /// The text of `ids`: bytes joined, then decoded as Python's errors="replace". Ids without a token give nothing (a
    /// model may have more ids than its tokenizer); token() is strict. `skip_special` leaves out special tokens.
    std::string decode(const std::vector<std::int64_t>& ids, bool skip_special = false) const;

    bool has(std::int64_t id) const { return rules_.vocabulary.token(id) != nullptr; }
    /// The token as the vocabulary spells it ("Ġhello"). Throws Error if there is no such id.
    const std::string& token(std::int64_t id) const;
    /// What the token adds to a text: bytes, perhaps a part of a character. Throws Error if there is no such id.
    const std::string& token_bytes(std::int64_t id) const;
    bool is_special(std::int64_t id) const;
    /// The id of a token as the vocabulary spells it.
    std::optional<std::int64_t> find(const std::string& token) const;

    /// All tokens, with the added ones: len(tokenizer) in transformers.
    std::size_t size() const { return rules_.vocabulary.size(); }
    /// The model's tokens, without those added to it: tokenizer.vocab_size in transformers.
    std::size_t vocab_size() const { return rules_.model_vocab_size; }
    /// One more than the largest id: the vocab_size a model needs at least.
    std::size_t id_limit() const { return rules_.vocabulary.id_limit(); }
    const SpecialTokens& special_tokens() const { return special_tokens_; }
    /// The file it came from.
    const std::string& source() const { return source_; }

    /// The text of a chat. Throws Error if the tokenizer comes with a chat template that is not MiniMind's.
    std::string render_chat(const Chat& chat) const;

  private:
    Tokenizer(TokenizerRules rules, const TokenizerConfig& config, std::string source);

    /// What one call of encode carries along.
    struct Encoding {
        BpeEncoder encoder;
        MatchBudget budget;
        std::vector<std::int64_t> ids;
    };
    void encode_between(std::string_view text, Encoding& encoding) const;
    void encode_words(std::string_view text, Encoding& encoding) const;

    TokenizerRules rules_;
    AddedTokenFinder added_in_text_;
    AddedTokenFinder added_in_normalized_;
    std::vector<std::string> bytes_;  // by id
    std::vector<bool> special_;       // by id
    SpecialTokens special_tokens_;
    std::string source_;
    std::string config_source_;
    bool has_template_file_ = false;
    bool minimind_chat_ = false;
};

/// The text of ids that come one by one, each character as soon as it is whole. All pieces together equal decode().
class TokenStream {
  public:
    explicit TokenStream(const Tokenizer& tokenizer, bool skip_special = false)
        : tokenizer_(&tokenizer), skip_special_(skip_special) {}

    std::string push(std::int64_t id);
    /// The end: U+FFFD for a character that was never finished.
    std::string finish() { return stream_.finish(); }

  private:
    const Tokenizer* tokenizer_;
    bool skip_special_;
    Utf8Stream stream_;
};

}  // namespace minimind
