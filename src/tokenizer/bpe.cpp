#include "tokenizer/bpe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/error.hpp"

namespace minimind {

namespace {

/// Longer words seldom come twice, and this many short ones take a few megabytes.
constexpr std::size_t max_seen_bytes = 64;
constexpr std::size_t max_seen_words = 65536;

}  // namespace

void BpeEncoder::encode_word(std::string_view word, std::vector<std::int64_t>& ids) {
    const std::string key(word);
    if (const auto whole = rules_->words.find(key); whole != rules_->words.end()) {
        ids.push_back(whole->second);
        return;
    }
    if (const auto seen = seen_.find(key); seen != seen_.end()) {
        ids.insert(ids.end(), seen->second.begin(), seen->second.end());
        return;
    }
    start_symbols(word);
    merge_all();
    tokens_.clear();
    for (const Symbol& symbol : symbols_) {
        if (!symbol.merged_away) tokens_.push_back(symbol.token);
    }
    ids.insert(ids.end(), tokens_.begin(), tokens_.end());
    if (word.size() <= max_seen_bytes && seen_.size() < max_seen_words) seen_.emplace(key, tokens_);
}

void BpeEncoder::start_symbols(std::string_view word) {
    symbols_.clear();
    for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        TokenId token = rules_->byte_tokens[byte];
        if (token == BpeRules::no_token) {
            if (!rules_->unknown) {
                throw Error(fmt::format("the tokenizer has no token for byte {:#04x}, and no unknown token", byte))
                    .help("use a tokenizer.json whose vocabulary has all 256 bytes");
            }
            token = *rules_->unknown;
            if (rules_->fuse_unknown && !symbols_.empty() && symbols_.back().token == token) continue;
        }
        const auto place = static_cast<std::int32_t>(symbols_.size());
        if (place > 0) symbols_.back().next = place;
        symbols_.push_back({token, place - 1, -1, false});
    }
}

void BpeEncoder::add_candidate(std::int32_t left) {
    if (left < 0 || symbols_[static_cast<std::size_t>(left)].next < 0) return;
    const Symbol& symbol = symbols_[static_cast<std::size_t>(left)];
    const TokenId right_token = symbols_[static_cast<std::size_t>(symbol.next)].token;
    if (const BpeRules::Merge* found = rules_->find_merge(symbol.token, right_token)) {
        candidates_.push_back({found->rank, left, found->result});
    }
}

void BpeEncoder::merge_all() {
    // std's heaps put the largest in front, so "less" means: comes later.
    const auto comes_later = [](const Candidate& a, const Candidate& b) {
        return std::tie(a.rank, a.left) > std::tie(b.rank, b.left);
    };
    candidates_.clear();
    for (std::size_t i = 0; i + 1 < symbols_.size(); ++i) add_candidate(static_cast<std::int32_t>(i));
    std::make_heap(candidates_.begin(), candidates_.end(), comes_later);
    while (!candidates_.empty()) {
        std::pop_heap(candidates_.begin(), candidates_.end(), comes_later);
        const Candidate candidate = candidates_.back();
        candidates_.pop_back();
        const std::size_t before = candidates_.size();
        merge(candidate);
        for (std::size_t count = before + 1; count <= candidates_.size(); ++count) {
            std::push_heap(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count), comes_later);
        }
    }
}

void BpeEncoder::merge(const Candidate& candidate) {
    Symbol& left = symbols_[static_cast<std::size_t>(candidate.left)];
    if (left.merged_away || left.next < 0) return;
    Symbol& right = symbols_[static_cast<std::size_t>(left.next)];
    // The neighbours may have become others since. They count if they still give the same token.
    const BpeRules::Merge* now = rules_->find_merge(left.token, right.token);
    if (now == nullptr || now->result != candidate.result) return;
    left.token = candidate.result;
    left.next = right.next;
    right.merged_away = true;
    if (left.next >= 0) symbols_[static_cast<std::size_t>(left.next)].previous = candidate.left;
    add_candidate(left.previous);
    add_candidate(candidate.left);
}

}  // namespace minimind
