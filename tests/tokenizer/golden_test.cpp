// Ids, tokens and decoded text against the reference's, for three tokenizers. All comparisons are exact: these are
// whole numbers and strings.
#include "support.hpp"

using namespace minimind;
using namespace minimind::testing;

namespace {

void check_cases(const Tokenizer& tokenizer, const std::filesystem::path& cases) {
    int count = 0;
    for (const auto& expected : read_json(cases)) {
        const auto text = expected["text"].get<std::string>();
        CAPTURE(text);
        const std::vector<std::int64_t> ids = tokenizer.encode(text);
        CHECK(ids == expected["ids"].get<std::vector<std::int64_t>>());
        std::vector<std::string> tokens;
        for (const std::int64_t id : ids) tokens.push_back(tokenizer.token(id));
        CHECK(tokens == expected["tokens"].get<std::vector<std::string>>());
        CHECK(tokenizer.decode(ids) == expected["decoded"].get<std::string>());
        CHECK(tokenizer.decode(ids, true) == expected["decoded_skip_special"].get<std::string>());
        ++count;
    }
    CHECK(count == 49);
}

const std::filesystem::path minimind_files =
    std::filesystem::path(MINIMIND_SOURCE_DIR) / ".." / "shared" / "goldens" / "tokenizer";

}  // namespace

TEST_CASE("golden: the project's tokenizer") {
    const Tokenizer tokenizer = Tokenizer::from_path(golden("demo"));
    check_cases(tokenizer, golden("cases_demo.json"));
    CHECK(tokenizer.size() == 6400);
    CHECK(tokenizer.vocab_size() == 6400);
    CHECK(tokenizer.id_limit() == 6400);
    CHECK(tokenizer.special_tokens().bos->text == "<|im_start|>");
    CHECK(tokenizer.special_tokens().bos->id == 1);
    CHECK(tokenizer.special_tokens().eos->id == 2);
    CHECK(tokenizer.special_tokens().pad->id == 0);
    CHECK(tokenizer.special_tokens().unk->id == 0);
    CHECK(tokenizer.is_special(1));
    CHECK_FALSE(tokenizer.is_special(25));  // <think> is added, but not special
    CHECK(tokenizer.find("<think>") == 25);
}

TEST_CASE("golden: the tokenizer that is shipped is the one that is tested") {
    const Tokenizer shipped =
        Tokenizer::from_path(std::filesystem::path(MINIMIND_SOURCE_DIR) / "labs" / "data" / "tokenizer.json");
    check_cases(shipped, golden("cases_demo.json"));
}

TEST_CASE("golden: a tokenizer in Qwen's form (NFC, a split pattern, merges as strings)") {
    const Tokenizer tokenizer = Tokenizer::from_path(golden("qwen_style/tokenizer.json"));
    check_cases(tokenizer, golden("cases_qwen_style.json"));
    CHECK(tokenizer.size() == 1161);
    CHECK(tokenizer.vocab_size() == 1156);
    CHECK(tokenizer.special_tokens().eos->id == 1158);
}

TEST_CASE("golden: MiniMind's own tokenizer" * doctest::skip(!std::filesystem::exists(minimind_files / "minimind"))) {
    check_cases(Tokenizer::from_path(minimind_files / "minimind"), minimind_files / "cases_minimind.json");
}

TEST_CASE("golden: chats, rendered and encoded") {
    const Tokenizer tokenizer = Tokenizer::from_path(golden("demo"));
    int count = 0;
    for (const auto& expected : read_json(golden("chat.json"))) {
        const auto rendered = expected["rendered"].get<std::string>();
        CAPTURE(rendered);
        CHECK(tokenizer.render_chat(parse_chat(expected.dump(), "chat.json")) == rendered);
        CHECK(tokenizer.encode(rendered) == expected["ids_demo"].get<std::vector<std::int64_t>>());
        ++count;
    }
    CHECK(count == 13);
}
