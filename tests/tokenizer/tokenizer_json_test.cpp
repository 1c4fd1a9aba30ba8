// tokenizer.json and tokenizer_config.json as they may come: odd, wrong or hostile. Each case says which message it
// must give, so that none of them can pass by failing elsewhere.
#include "tokenizer/tokenizer_json.hpp"

#include <algorithm>
#include <functional>

#include "fuzz/tokenizer_target.hpp"
#include "support.hpp"

using namespace minimind;
using namespace minimind::testing;
using Json = nlohmann::json;

namespace {

/// A small tokenizer: "a" is 0, "b" 1, "c" 2, "ab" 3, "Ġ" 4, "abc" 5.
Json small() {
    return Json::parse(R"({
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
        "post_processor": null,
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "Ġ": 4, "abc": 5},
                  "merges": ["a b", ["ab", "c"]]}
    })");
}

Tokenizer load(const Json& json, const std::string& config = "{}") {
    return Tokenizer::from_json(json.dump(), parse_tokenizer_config(config, "config"), "file");
}

std::string error_with(const std::function<void(Json&)>& change) {
    Json json = small();
    change(json);
    return error_of([&] { load(json).encode("a b"); });
}

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("tokenizer.json: both spellings of merges, and what they do") {
    const Tokenizer tokenizer = load(small());
    CHECK(tokenizer.encode("abc ab") == Ids{5, 4, 3});
    CHECK(tokenizer.decode({5, 4, 3}) == "abc ab");
    CHECK(contains(error_of([&] { tokenizer.encode("axb"); }), "no token for byte 0x78"));
}

TEST_CASE("tokenizer.json: options that are honoured") {
    Json json = small();
    json["model"]["merges"] = Json::array();
    CHECK(load(json).encode("abc") == Ids{0, 1, 2});
    json["model"]["ignore_merges"] = true;  // a word that is a token needs no merges
    CHECK(load(json).encode("abc") == Ids{5});
    json = small();
    json["pre_tokenizer"]["add_prefix_space"] = true;
    const auto without_config = Tokenizer::from_json(json.dump(), default_tokenizer_config(), "file");
    CHECK(without_config.encode("ab") == Ids{4, 3});
    CHECK(without_config.encode(" ab") == Ids{4, 3});
    CHECK(load(json).encode("ab") == Ids{3});  // tokenizer_config.json decides, and its default is false
    CHECK(load(json, R"({"add_prefix_space": true})").encode("ab") == Ids{4, 3});
    json = small();
    json["model"]["unk_token"] = "c";
    CHECK(load(json).encode("axyb") == Ids{0, 2, 2, 1});
    json["model"]["fuse_unk"] = true;
    CHECK(load(json).encode("axyb") == Ids{0, 2, 1});
    json = small();
    json["pre_tokenizer"] = Json::parse(
        R"({"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"String": "b"}, "behavior": "Isolated", "invert": false},
            {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})");
    CHECK(load(json).encode("abc") == Ids{0, 1, 2});
}

TEST_CASE("tokenizer.json: added tokens") {
    Json json = small();
    json["added_tokens"] = Json::parse(R"([
        {"id": 6, "content": "<s>", "special": true},
        {"id": 1, "content": "b"},
        {"id": 7, "content": "é", "normalized": true, "special": false}])");
    json["normalizer"] = {{"type", "NFC"}};
    const Tokenizer tokenizer = load(json);
    CHECK(tokenizer.encode("ab<s>e\u0301") == Ids{0, 1, 6, 7});
    CHECK(tokenizer.decode({0, 6, 1}, true) == "ab");
    CHECK(tokenizer.decode({7}) == "\xEF\xBF\xBD");  // "é" is a character of the byte alphabet: byte 0xE9 alone
    CHECK(tokenizer.size() == 8);
    CHECK(tokenizer.vocab_size() == 6);
}

TEST_CASE("tokenizer.json: what is not supported is named") {
    CHECK(contains(error_with([](Json& j) { j["model"]["type"] = "Unigram"; }), "model type 'Unigram'"));
    CHECK(contains(error_with([](Json& j) { j["model"]["dropout"] = 0.1; }), "dropout"));
    CHECK(contains(error_with([](Json& j) { j["model"]["byte_fallback"] = true; }), "byte_fallback"));
    CHECK(contains(error_with([](Json& j) { j["model"]["end_of_word_suffix"] = "</w>"; }), "end_of_word_suffix"));
    CHECK(contains(error_with([](Json& j) { j["normalizer"] = {{"type", "Lowercase"}}; }), "normalizer 'Lowercase'"));
    CHECK(contains(error_with([](Json& j) { j["pre_tokenizer"] = {{"type", "Whitespace"}}; }), "'Whitespace'"));
    CHECK(contains(error_with([](Json& j) { j["pre_tokenizer"] = nullptr; }), "not a byte-level tokenizer"));
    CHECK(contains(error_with([](Json& j) { j["decoder"] = {{"type", "WordPiece"}}; }), "decoder 'WordPiece'"));
    CHECK(contains(error_with([](Json& j) { j["decoder"] = nullptr; }), "\"decoder\" is missing"));
    CHECK(contains(error_with([](Json& j) {
                       j["post_processor"] = {{"type", "TemplateProcessing"}};
                   }),
                   "post_processor 'TemplateProcessing'"));
    CHECK(contains(error_with([](Json& j) {
                       j["pre_tokenizer"] = Json::parse(R"({"type": "Sequence", "pretokenizers": [
                           {"type": "Split", "pattern": {"Regex": "\\w"}, "behavior": "Isolated"}]})");
                   }),
                   "is not supported"));
    CHECK(contains(error_with([](Json& j) {
                       j["pre_tokenizer"] = Json::parse(R"({"type": "Sequence", "pretokenizers": [
                           {"type": "Split", "pattern": {"String": "x"}, "behavior": "MergedWithNext"}]})");
                   }),
                   "'MergedWithNext'"));
}

TEST_CASE("tokenizer.json: vocabularies and merges that make no sense") {
    CHECK(contains(error_with([](Json& j) { j["model"]["vocab"]["b"] = 0; }), "same id 0"));
    CHECK(contains(error_with([](Json& j) { j["model"]["vocab"]["b"] = -1; }), "whole number"));
    CHECK(contains(error_with([](Json& j) { j["model"]["vocab"]["b"] = 1.5; }), "whole number"));
    CHECK(contains(error_with([](Json& j) { j["model"]["vocab"]["b"] = "1"; }), "whole number"));
    CHECK(contains(error_with([](Json& j) { j["model"]["vocab"]["b"] = 2147483647; }), "too large"));
    CHECK(contains(error_with([](Json& j) { j["model"]["vocab"]["b"] = 4294967296; }), "whole number"));
    CHECK(contains(error_with([](Json& j) { j["model"]["vocab"] = Json::object(); }), "empty"));
    CHECK(contains(error_with([](Json& j) { j["model"]["vocab"] = Json::array(); }), "expected an object"));
    CHECK(contains(error_with([](Json& j) { j["model"]["merges"] = 3; }), "expected an array"));
    CHECK(contains(error_with([](Json& j) { j["model"]["merges"] = {"ab"}; }), "a merge must be"));
    CHECK(contains(error_with([](Json& j) { j["model"]["merges"] = {"a b c"}; }), "a merge must be"));
    CHECK(contains(error_with([](Json& j) { j["model"]["merges"] = Json::parse(R"([["a"]])"); }), "a merge must be"));
    CHECK(contains(error_with([](Json& j) { j["model"]["merges"] = {"a x"}; }), "needs 'x'"));
    CHECK(contains(error_with([](Json& j) { j["model"]["merges"] = {"b c"}; }), "needs 'bc'"));
    // "ab" from itself and nothing would be a circle; every real merge makes a word shorter, so there are none.
    CHECK(contains(error_with([](Json& j) { j["model"]["merges"] = {"ab "}; }), "needs ''"));
    CHECK(contains(error_with([](Json& j) { j["model"]["unk_token"] = "?"; }), "unk_token '?'"));
    CHECK(contains(error_with([](Json& j) { j.erase("model"); }), "not a tokenizer.json"));
    CHECK(contains(error_with([](Json& j) { j["added_tokens"] = Json::parse(R"([{"id": 0, "content": "x"}])"); }),
                   "same id 0"));
    CHECK(contains(error_with([](Json& j) { j["added_tokens"] = Json::parse(R"([{"id": 9, "content": "a"}])"); }),
                   "two ids"));
    CHECK(contains(error_with([](Json& j) { j["added_tokens"] = Json::parse(R"([{"id": 9, "content": ""}])"); }),
                   "empty"));
    CHECK(contains(error_with([](Json& j) {
                       j["added_tokens"] = {{{"id", 9}, {"content", std::string(300, 'x')}}};
                   }),
                   "longer than 256"));
    CHECK(contains(error_with([](Json& j) { j["added_tokens"] = Json(10001, Json()); }), "too many added tokens"));
}

TEST_CASE("tokenizer.json: text that is no such file") {
    const auto error = [](const std::string& text) {
        return error_of([&] { Tokenizer::from_json(text, default_tokenizer_config(), "file"); });
    };
    CHECK(contains(error(""), "ends too early"));
    CHECK(contains(error("{\"model\": "), "ends too early"));
    CHECK(contains(error("{\n  \"model\": x}"), "line 2, column 12"));
    CHECK(contains(error("[]"), "expected an object, found array"));
    CHECK(contains(error("{\"a\": \"\xFF\"}"), "not valid JSON"));
    CHECK(contains(error("{\"a\": 1e999}"), "out of range"));
    CHECK(contains(error("version https://git-lfs.github.com/spec/v1\noid sha256:1"), "Git LFS pointer"));
    CHECK(contains(error("<!DOCTYPE html>"), "web page"));
    CHECK(contains(error(std::string(1000000, '[')), "deeper than 100"));
    CHECK(contains(error("{\"a\":" + std::string(1000000, '{')), "deeper than 100"));
    CHECK(contains(error("\"unfinished \\"), "ends too early"));
    std::string whole = small().dump();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK_FALSE(error(whole.substr(0, size)).empty());
    }
    CHECK(error(whole).empty());
}

TEST_CASE("tokenizer_config.json: special tokens") {
    Json json = small();
    const Tokenizer tokenizer = load(json, R"({"bos_token": "a", "eos_token": {"content": "b"}, "pad_token": null,
        "added_tokens_decoder": {"6": {"content": "<x>", "special": true}}, "additional_special_tokens": ["<x>"]})");
    CHECK(tokenizer.special_tokens().bos->id == 0);
    CHECK(tokenizer.special_tokens().eos->id == 1);
    CHECK_FALSE(tokenizer.special_tokens().pad.has_value());
    CHECK_FALSE(tokenizer.special_tokens().unk.has_value());
    CHECK(tokenizer.is_special(0));
    CHECK(tokenizer.encode("c<x>") == Ids{2, 6});
    CHECK(tokenizer.decode({0, 2, 6}, true) == "c");
    CHECK_FALSE(Tokenizer::from_json(json.dump(), default_tokenizer_config(), "file").special_tokens().bos.has_value());
    CHECK(contains(error_of([&] { load(json, R"({"bos_token": "<s>"})"); }), "'<s>' is not in tokenizer.json"));
    CHECK(contains(error_of([&] { load(json, R"({"bos_token": 3})"); }), "expected a string"));
    CHECK(contains(error_of([&] { load(json, R"({"add_bos_token": true})"); }), "add_bos_token"));
    CHECK(contains(error_of([&] { load(json, R"({"clean_up_tokenization_spaces": true})"); }), "clean_up"));
    CHECK(contains(error_of([&] { load(json, R"({"added_tokens_decoder": {"x": {"content": "y"}}})"); }), "'x'"));
    CHECK(contains(error_of([&] { load(json, R"({"added_tokens_decoder": {"0": {"content": "y"}}})"); }), "same id"));
}

TEST_CASE("tokenizer.json: the fuzzer's inputs end in a result or in an Error") {
    // Which of them are good tokenizers; all others must be refused.
    const std::vector<std::string> good = {"small.json", "sequence.json", "two_ways.json", "nested_repetition.json"};
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(MINIMIND_GOLDEN_DIR) / ".." /
                                                                 "fuzz" / "corpus" / "tokenizer_json")) {
        const std::string input = file_text(entry.path());
        const std::string name = entry.path().filename().string();
        CAPTURE(name);
        const bool is_good = std::find(good.begin(), good.end(), name) != good.end();
        CHECK(error_of([&] { run_tokenizer_json(input); }).empty() == is_good);
        ++count;
    }
    CHECK(count >= 9);
}
