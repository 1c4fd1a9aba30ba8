// Tokens that are found in the text before anything else happens to it: <|im_start|>, <think>, ...
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/bpe.hpp"

namespace minimind {

/// How many a file may have; real ones have up to a few thousand.
inline constexpr std::size_t max_added_tokens = 10000;

/// One entry of "added_tokens".
struct AddedToken {
    TokenId id = 0;
    std::string content;
    bool special = false;      ///< left out by decode if asked
    bool single_word = false;  ///< found only between characters that are no letters, digits, marks or underscores
    bool lstrip = false;       ///< takes the white space before it
    bool rstrip = false;       ///< takes the white space after it
    bool normalized = false;   ///< looked for in the normalised text, not in the text as it came
};

/// A piece of a text: an added token, or the text between two of them.
struct TextPiece {
    std::string_view text;
    std::optional<TokenId> token;
};

/// Finds added tokens, from left to right, of those that begin at one place the longest.
class AddedTokenFinder {
  public:
    /// `tokens` with contents as they are to be found, none of them empty or longer than max_content_bytes.
    explicit AddedTokenFinder(std::vector<AddedToken> tokens);

    /// The pieces of `text` in order, none of them empty but for tokens. Precondition: valid UTF-8. Time is linear in
    /// the text, times the length of the longest token.
    std::vector<TextPiece> split(std::string_view text) const;

    static constexpr std::size_t max_content_bytes = 256;

  private:
    const AddedToken* longest_at(std::string_view text, std::size_t at) const;

    std::vector<AddedToken> tokens_;                // sorted by content, byte by byte
    std::array<std::size_t, 257> first_of_byte_{};  // tokens that begin with byte b are [b], ..., [b + 1] - 1
};

}  // namespace minimind
