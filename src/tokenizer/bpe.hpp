// Byte-pair encoding (Sennrich et al. 2016), on bytes: a word starts as its bytes, one token each; then, again and
// again, the neighbours whose merge has the lowest rank become one token (the leftmost of equals first), until no
// neighbours have a merge.
//
//   merges: 0 "h e"   1 "l l"   2 "he ll"   3 "hell o"
//   h e l l o  ->  he l l o  ->  he ll o  ->  hell o  ->  hello
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace minimind {

using TokenId = std::int32_t;

/// The rules: which byte is which token, and which two tokens merge into which.
struct BpeRules {
    struct Merge {
        std::int32_t rank = 0;
        TokenId result = 0;
    };

    static constexpr TokenId no_token = -1;

    std::array<TokenId, 256> byte_tokens{};           ///< no_token where the vocabulary has none
    std::unordered_map<std::uint64_t, Merge> merges;  ///< by pair_key of the two neighbours
    std::optional<TokenId> unknown;                   ///< stands for a byte that has no token
    bool fuse_unknown = false;                        ///< unknown neighbours are one
    std::unordered_map<std::string, TokenId> words;   ///< by bytes: words that are a token as they are (ignore_merges)

    static std::uint64_t pair_key(TokenId left, TokenId right) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
    }
    const Merge* find_merge(TokenId left, TokenId right) const {
        const auto found = merges.find(pair_key(left, right));
        return found == merges.end() ? nullptr : &found->second;
    }
};

/// Encodes the words of one text. Keeps its scratch memory and the words it has seen; n bytes without a break take
/// O(n log n). `rules` must outlive it.
class BpeEncoder {
  public:
    explicit BpeEncoder(const BpeRules& rules) : rules_(&rules) {}

    /// Appends the tokens of `word`. Throws Error for a byte that has no token while there is no unknown token.
    void encode_word(std::string_view word, std::vector<std::int64_t>& ids);

  private:
    /// A token of the word while it is being merged: a node of a doubly linked list over places in symbols_.
    struct Symbol {
        TokenId token = 0;
        std::int32_t previous = -1;
        std::int32_t next = -1;
        bool merged_away = false;
    };
    /// Two neighbours that could merge. Out of date as soon as one of them has changed.
    struct Candidate {
        std::int32_t rank = 0;
        std::int32_t left = 0;
        TokenId result = 0;
    };

    void start_symbols(std::string_view word);
    void add_candidate(std::int32_t left);
    void merge_all();
    void merge(const Candidate& candidate);

    const BpeRules* rules_;
    std::unordered_map<std::string, std::vector<TokenId>> seen_;
    std::vector<Symbol> symbols_;
    std::vector<Candidate> candidates_;  // a heap, the next one to merge in front
    std::vector<TokenId> tokens_;
};

}  // namespace minimind
