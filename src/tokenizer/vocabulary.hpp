// Token strings and their ids.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tokenizer/bpe.hpp"

namespace minimind {

class Vocabulary {
  public:
    /// `most_ids`: ids are below it. Tokens are held in a table by id, and a file of a few bytes must not be able to
    /// ask for gigabytes.
    explicit Vocabulary(std::size_t most_ids) : most_ids_(most_ids) {}

    /// Throws Error, at `where`, if the id is out of range or is another token's, or the token has another id.
    void add(const std::string& token, TokenId id, const std::string& where);

    std::optional<TokenId> find(const std::string& token) const;
    /// Null if there is no such id.
    const std::string* token(std::int64_t id) const;

    /// The number of tokens.
    std::size_t size() const { return ids_.size(); }
    /// One more than the largest id: what an embedding needs at least.
    std::size_t id_limit() const { return tokens_.size(); }

  private:
    std::size_t most_ids_;
    std::unordered_map<std::string, TokenId> ids_;
    std::vector<std::optional<std::string>> tokens_;
};

}  // namespace minimind
