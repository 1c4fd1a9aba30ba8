#include "tokenizer/tokenizer.hpp"

#include "support.hpp"

using namespace minimind;
using namespace minimind::testing;

TEST_CASE("tokenizer: decode(encode(text)) is the text, and the stream's pieces add up to it") {
    const Tokenizer tokenizer = Tokenizer::from_path(golden("demo"));
    std::mt19937 random(3);
    for (int round = 0; round < 500; ++round) {
        const std::string text = random_text(random, static_cast<int>(random() % 60));
        const std::vector<std::int64_t> ids = tokenizer.encode(text);
        CHECK(tokenizer.decode(ids) == text);
        TokenStream stream(tokenizer);
        std::string streamed;
        for (const std::int64_t id : ids) {
            const std::string piece = stream.push(id);
            CHECK_FALSE(first_invalid_utf8(piece).has_value());
            streamed += piece;
        }
        CHECK(streamed + stream.finish() == text);
    }
}

TEST_CASE("tokenizer: random ids decode to valid text, streamed or not") {
    const Tokenizer tokenizer = Tokenizer::from_path(golden("demo"));
    std::mt19937 random(4);
    for (const bool skip_special : {false, true}) {
        for (int round = 0; round < 500; ++round) {
            std::vector<std::int64_t> ids;
            // Low ids are special tokens and single bytes: many incomplete characters.
            for (int i = 0; i < 12; ++i) ids.push_back(static_cast<std::int64_t>(random() % 400));
            TokenStream stream(tokenizer, skip_special);
            std::string streamed;
            for (const std::int64_t id : ids) streamed += stream.push(id);
            streamed += stream.finish();
            CHECK(streamed == tokenizer.decode(ids, skip_special));
            CHECK_FALSE(first_invalid_utf8(streamed).has_value());
        }
    }
}

TEST_CASE("tokenizer: text that is not UTF-8 and ids that are none") {
    const Tokenizer tokenizer = Tokenizer::from_path(golden("demo"));
    CHECK(contains(error_of([&] { tokenizer.encode("ab\xFF", "--text"); }), "offset 2"));
    CHECK(contains(error_of([&] { tokenizer.token(6400); }), "no token with id 6400"));
    CHECK(contains(error_of([&] { tokenizer.token_bytes(-1); }), "no token with id -1"));
    CHECK_FALSE(tokenizer.has(6400));
    CHECK(tokenizer.decode({1838, 6400, -5}) == "MiniMind");
    CHECK(tokenizer.token_bytes(256) == " ");
    CHECK(tokenizer.token(256) == "Ġ");
}

TEST_CASE("tokenizer: NFC composes, and a long run of marks takes no time") {
    const Tokenizer tokenizer = Tokenizer::from_path(golden("qwen_style"));
    CHECK(tokenizer.encode("e\u0301") == tokenizer.encode("\u00e9"));
    // Canonical order: the dot below (class 220) comes before the dot above (class 230).
    CHECK(normal_form("q\u0307\u0323", NormalForm::nfc) == "q\u0323\u0307");
    CHECK(normal_form("ﬁ", NormalForm::nfkc) == "fi");
    CHECK(normal_form("\u00e9", NormalForm::nfd) == "e\u0301");
    CHECK(normal_form(std::string("a\0e\u0301", 5), NormalForm::nfc) == std::string("a\0\u00e9", 4));
    // 200,000 marks in falling order of class: swapping neighbours would take 10^10 steps.
    std::u32string marks(100000, U'\u0301');
    marks += std::u32string(100000, U'\u0316');
    std::u32string sorted = U"a" + std::u32string(100000, U'\u0316') + U"\u0301";
    const std::u32string result = decode_utf8(normal_form(encode_utf8(U"a" + marks), NormalForm::nfd));
    CHECK(result.substr(0, sorted.size()) == sorted);
    CHECK(result.size() == 200001);
}

TEST_CASE("tokenizer: long words without a break") {
    const Tokenizer tokenizer = Tokenizer::from_path(golden("demo"));
    for (const std::string unit : {"a", " ", "你", "\n", "1", "!"}) {
        std::string text;
        while (text.size() < 200000) text += unit;
        CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
    }
}

TEST_CASE("tokenizer: where it is looked for") {
    CHECK(contains(error_of([] { Tokenizer::from_path("/nowhere/tokenizer.json"); }), "no such tokenizer file"));
    CHECK(contains(error_of([] { Tokenizer::from_path(MINIMIND_GOLDEN_DIR); }), "has no tokenizer.json"));
}
