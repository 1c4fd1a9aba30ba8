#include "tokenizer/vocabulary.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

void Vocabulary::add(const std::string& token, TokenId id, const std::string& where) {
    const auto place = static_cast<std::size_t>(id);
    if (id < 0 || place >= most_ids_) {
        throw Error(fmt::format("token {} has id {}, too large for a vocabulary of this size", short_repr(token), id))
            .at(where)
            .note(fmt::format("ids must be below {} here", most_ids_));
    }
    if (const auto old = ids_.find(token); old != ids_.end() && old->second != id) {
        throw Error(fmt::format("token {} has two ids, {} and {}", short_repr(token), old->second, id)).at(where);
    }
    if (place >= tokens_.size()) tokens_.resize(place + 1);
    if (tokens_[place] && *tokens_[place] != token) {
        throw Error(
            fmt::format("tokens {} and {} have the same id {}", short_repr(*tokens_[place]), short_repr(token), id))
            .at(where);
    }
    ids_.emplace(token, id);
    tokens_[place] = token;
}

std::optional<TokenId> Vocabulary::find(const std::string& token) const {
    const auto found = ids_.find(token);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
}

const std::string* Vocabulary::token(std::int64_t id) const {
    if (id < 0 || static_cast<std::uint64_t>(id) >= tokens_.size()) return nullptr;
    const std::optional<std::string>& token = tokens_[static_cast<std::size_t>(id)];
    return token ? &*token : nullptr;
}

}  // namespace minimind
