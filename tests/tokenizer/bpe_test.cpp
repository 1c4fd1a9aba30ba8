#include "tokenizer/bpe.hpp"

#include "support.hpp"
#include "tokenizer/byte_level.hpp"

using namespace minimind;
using namespace minimind::testing;

namespace {

/// Bytes are their own ids; merged tokens start at 256.
BpeRules byte_rules() {
    BpeRules rules;
    for (int byte = 0; byte < 256; ++byte) rules.byte_tokens[static_cast<std::size_t>(byte)] = byte;
    return rules;
}

void add_merge(BpeRules& rules, TokenId left, TokenId right, TokenId result) {
    const auto rank = static_cast<std::int32_t>(rules.merges.size());
    rules.merges[BpeRules::pair_key(left, right)] = {rank, result};
}

std::vector<std::int64_t> encode(const BpeRules& rules, const std::string& word) {
    std::vector<std::int64_t> ids;
    BpeEncoder(rules).encode_word(word, ids);
    return ids;
}

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("bpe: the example of the header, step by step") {
    BpeRules rules = byte_rules();
    add_merge(rules, 'h', 'e', 256);
    add_merge(rules, 'l', 'l', 257);
    add_merge(rules, 256, 257, 258);
    add_merge(rules, 258, 'o', 259);
    CHECK(encode(rules, "hello") == Ids{259});
    CHECK(encode(rules, "hell") == Ids{258});
    CHECK(encode(rules, "helo") == Ids{256, 'l', 'o'});
    CHECK(encode(rules, "lll") == Ids{257, 'l'});  // the leftmost of equal pairs first
    CHECK(encode(rules, "llll") == Ids{257, 257});
    CHECK(encode(rules, "").empty());
}

TEST_CASE("bpe: the lowest rank wins, wherever it stands") {
    BpeRules rules = byte_rules();
    add_merge(rules, 'b', 'c', 256);
    add_merge(rules, 'a', 'b', 257);
    add_merge(rules, 257, 'c', 258);
    CHECK(encode(rules, "abc") == Ids{'a', 256});  // "a b" is further left but less important than "b c"
    CHECK(encode(rules, "abab") == Ids{257, 257});
    CHECK(encode(rules, "ababc") == Ids{257, 'a', 256});
}

TEST_CASE("bpe: a byte without a token") {
    BpeRules rules = byte_rules();
    rules.byte_tokens['x'] = BpeRules::no_token;
    CHECK(contains(error_of([&] { encode(rules, "axb"); }), "no token for byte 0x78"));
    rules.unknown = 300;
    CHECK(encode(rules, "axxb") == Ids{'a', 300, 300, 'b'});
    rules.fuse_unknown = true;
    CHECK(encode(rules, "axxbx") == Ids{'a', 300, 'b', 300});
}

TEST_CASE("bpe: equals the plain algorithm on random rules and words") {
    // The plain one: look for the best pair in the whole word, merge it, start again. Quadratic, but easy to believe.
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        BpeRules rules = byte_rules();
        std::vector<TokenId> known = {'a', 'b', 'c'};
        for (TokenId result = 256; result < 276; ++result) {
            add_merge(rules, known[random() % known.size()], known[random() % known.size()], result);
            known.push_back(result);
        }
        std::string word;
        for (int i = 0; i < 40; ++i) word += "abc"[random() % 3];
        Ids plain(word.begin(), word.end());
        while (true) {
            const BpeRules::Merge* best = nullptr;
            std::size_t place = 0;
            for (std::size_t i = 0; i + 1 < plain.size(); ++i) {
                const auto* merge =
                    rules.find_merge(static_cast<TokenId>(plain[i]), static_cast<TokenId>(plain[i + 1]));
                if (merge == nullptr || (best != nullptr && best->rank <= merge->rank)) continue;
                best = merge;
                place = i;
            }
            if (best == nullptr) break;
            plain[place] = best->result;
            plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(place) + 1);
        }
        CHECK(encode(rules, word) == plain);
    }
}

TEST_CASE("bpe: a word seen before gives the same ids") {
    BpeRules rules = byte_rules();
    add_merge(rules, 'a', 'b', 256);
    BpeEncoder encoder(rules);
    Ids ids;
    encoder.encode_word("abc", ids);
    encoder.encode_word("cab", ids);
    encoder.encode_word("abc", ids);
    CHECK(ids == Ids{256, 'c', 'c', 256, 256, 'c'});
}

TEST_CASE("byte level: the alphabet") {
    CHECK(to_byte_level(" a\n") == "ĠaĊ");
    CHECK(to_byte_level("你") == "ä½ł");
    CHECK(byte_level_character(0) == "Ā");
    CHECK(byte_level_character(173) == "Ń");  // the last of the 68 that do not stand for themselves: U+0143
    CHECK_FALSE(from_byte_level("a b").has_value());
    CHECK_FALSE(from_byte_level("你").has_value());
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    CHECK(from_byte_level(to_byte_level(bytes)) == bytes);
}
