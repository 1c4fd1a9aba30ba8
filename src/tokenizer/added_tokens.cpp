#include "tokenizer/added_tokens.hpp"

#include <utf8proc.h>

#include <algorithm>

#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

/// Unicode's White_Space.
bool is_space(char32_t c) {
    const bool in_range = (c >= 0x09 && c <= 0x0D) || (c >= 0x2000 && c <= 0x200A);
    return in_range || std::u32string_view(U" \u0085\u00A0\u1680\u2028\u2029\u202F\u205F\u3000").find(c) !=
                           std::u32string_view::npos;
}

/// What regular expressions call \w: letters, marks, digits, connectors such as the underscore, and joiners.
bool is_word_character(char32_t c) {
    if (c == 0x200C || c == 0x200D) return true;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME:
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_PC:
            return true;
        default:
            return false;
    }
}

/// The offset of the character that ends at `end`. Precondition: end > 0, valid UTF-8.
std::size_t previous_character(std::string_view text, std::size_t end) {
    std::size_t at = end - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
    const bool word_before =
        begin > 0 && is_word_character(utf8_unit_at(text, previous_character(text, begin)).code_point);
    const bool word_after = end < text.size() && is_word_character(utf8_unit_at(text, end).code_point);
    return !word_before && !word_after;
}

std::size_t without_space_before(std::string_view text, std::size_t least, std::size_t begin) {
    while (begin > least) {
        const std::size_t previous = previous_character(text, begin);
        if (!is_space(utf8_unit_at(text, previous).code_point)) break;
        begin = previous;
    }
    return begin;
}

std::size_t without_space_after(std::string_view text, std::size_t end) {
    while (end < text.size()) {
        const Utf8Unit unit = utf8_unit_at(text, end);
        if (!is_space(unit.code_point)) break;
        end += unit.size;
    }
    return end;
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
    // std::string compares bytes as unsigned, which the search below relies on. Of equal contents the first counts.
    std::stable_sort(tokens_.begin(), tokens_.end(),
                     [](const AddedToken& a, const AddedToken& b) { return a.content < b.content; });
    for (const AddedToken& token : tokens_) {
        ++first_of_byte_[static_cast<unsigned char>(token.content.front()) + std::size_t{1}];
    }
    for (std::size_t byte = 0; byte < 256; ++byte) first_of_byte_[byte + 1] += first_of_byte_[byte];
}

const AddedToken* AddedTokenFinder::longest_at(std::string_view text, std::size_t at) const {
    const auto first_byte = static_cast<unsigned char>(text[at]);
    auto begin = tokens_.begin() + static_cast<std::ptrdiff_t>(first_of_byte_[first_byte]);
    auto end = tokens_.begin() + static_cast<std::ptrdiff_t>(first_of_byte_[first_byte + std::size_t{1}]);
    const AddedToken* longest = nullptr;
    // [begin, end) are the tokens that agree with the text in their first `length` bytes; sorted, so that a token
    // which ends here is the first of them.
    for (std::size_t length = 1; begin != end; ++length) {
        if (begin->content.size() == length) longest = &*begin;
        while (begin != end && begin->content.size() == length) ++begin;
        if (at + length >= text.size()) break;
        const auto byte = static_cast<unsigned char>(text[at + length]);
        const auto byte_of = [&](const AddedToken& token) { return static_cast<unsigned char>(token.content[length]); };
        begin = std::partition_point(begin, end, [&](const AddedToken& token) { return byte_of(token) < byte; });
        end = std::partition_point(begin, end, [&](const AddedToken& token) { return byte_of(token) == byte; });
    }
    return longest;
}

std::vector<TextPiece> AddedTokenFinder::split(std::string_view text) const {
    std::vector<TextPiece> pieces;
    std::size_t done = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const AddedToken* token = longest_at(text, at);
        if (token == nullptr) {
            ++at;
            continue;
        }
        std::size_t begin = at;
        std::size_t end = at + token->content.size();
        at = end;
        if (token->single_word && !stands_alone(text, begin, end)) continue;
        if (token->lstrip) begin = without_space_before(text, done, begin);
        if (token->rstrip) end = without_space_after(text, end);
        if (begin > done) pieces.push_back({text.substr(done, begin - done), std::nullopt});
        pieces.push_back({text.substr(begin, end - begin), token->id});
        done = end;
        at = end;
    }
    if (done < text.size()) pieces.push_back({text.substr(done), std::nullopt});
    return pieces;
}

}  // namespace minimind
