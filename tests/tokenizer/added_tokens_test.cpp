#include "tokenizer/added_tokens.hpp"

#include "support.hpp"

using namespace minimind;
using namespace minimind::testing;

namespace {

AddedToken token(TokenId id, const std::string& content) {
    AddedToken result;
    result.id = id;
    result.content = content;
    return result;
}

/// "text|<id:matched>|..." of the pieces.
std::string shown(const AddedTokenFinder& finder, std::string_view text) {
    std::string result;
    for (const TextPiece& piece : finder.split(text)) {
        if (!result.empty()) result += "|";
        const std::string inner(piece.text);
        result += piece.token ? "<" + std::to_string(*piece.token) + ":" + inner + ">" : inner;
    }
    return result;
}

}  // namespace

TEST_CASE("added tokens: the longest at the leftmost place") {
    const AddedTokenFinder finder({token(1, "<a>"), token(2, "<a><b>"), token(3, "b"), token(4, "<a"), token(5, "é")});
    CHECK(shown(finder, "x<a>y") == "x|<1:<a>>|y");
    CHECK(shown(finder, "<a><b>") == "<2:<a><b>>");
    CHECK(shown(finder, "<a><c") == "<1:<a>>|<c");
    CHECK(shown(finder, "<a<a") == "<4:<a>|<4:<a>");
    CHECK(shown(finder, "aéb") == "a|<5:é>|<3:b>");
    CHECK(shown(finder, "").empty());
    CHECK(shown(AddedTokenFinder({}), "abc") == "abc");
    CHECK(shown(AddedTokenFinder({token(1, "ab"), token(2, "ab")}), "ab") == "<1:ab>");
}

TEST_CASE("added tokens: single_word, lstrip, rstrip") {
    AddedToken word = token(1, "ab");
    word.single_word = true;
    AddedToken left = token(2, "<l>");
    left.lstrip = true;
    AddedToken right = token(3, "<r>");
    right.rstrip = true;
    const AddedTokenFinder finder({word, left, right});
    CHECK(shown(finder, "ab abc _ab ab! 你ab") == "<1:ab>| abc _ab |<1:ab>|! 你ab");
    CHECK(shown(finder, "x \n<l> y") == "x|<2: \n<l>>| y");
    CHECK(shown(finder, "x <r>\u3000\u00a0y") == "x |<3:<r>\u3000\u00a0>|y");
    CHECK(shown(finder, "<r> <l>") == "<3:<r> >|<2:<l>>");  // a space is taken once
}

TEST_CASE("added tokens: the pieces are the text") {
    const AddedTokenFinder finder(
        {token(1, "a"), token(2, "aab"), token(3, " "), token(4, "你"), token(5, "<|im_end|>")});
    std::mt19937 random(5);
    for (int round = 0; round < 500; ++round) {
        const std::string text = random_text(random, 40);
        std::string together;
        for (const TextPiece& piece : finder.split(text)) {
            CHECK_FALSE(piece.text.empty());
            together += piece.text;
        }
        CHECK(together == text);
    }
}
