// `minimind generate` and `minimind tokenize` as a user meets them.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/json_of.hpp"
#include "support/run_program.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

using namespace minimind;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// A small model, so that a run takes milliseconds.
ProgramResult generate(const Words& more, const std::string& input = "") {
    Words words = {"generate", "--hidden_size", "32", "--num_hidden_layers", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, input);
}

}  // namespace

TEST_CASE("generate gives ids with the prompt, one list a row, and the text of each row") {
    const ProgramResult result =
        generate({"--input_ids", "1,2,3;4,5,6", "--max_new_tokens", "4", "--eos", "none", "--format", "json"});
    CHECK(result.exit_code == 0);
    const json answer = json_of(result.out);
    REQUIRE(answer["ids"].size() == 2);
    CHECK(answer["ids"][0].size() == 7);
    CHECK(answer["ids"][1][2] == 6);
    CHECK(answer["text"].size() == 2);
    CHECK(answer["new_tokens"] == 4);
    CHECK(answer["ending"] == "max_new_tokens");
    CHECK(contains(result.err, "8 tokens in "));
    CHECK(contains(result.err, "tokens per second"));
}

TEST_CASE("the seed decides what is drawn, the cache changes nothing, and greedy draws nothing") {
    const auto ids = [](Words words) {
        words.insert(words.end(), {"--text", "hello", "--max_new_tokens", "12", "--format", "json"});
        return json_of(generate(words).out)["ids"];
    };
    CHECK(ids({"--seed", "1"}) == ids({"--seed", "1"}));
    CHECK(ids({"--seed", "1"}) == ids({"--seed", "1", "--use_cache", "0"}));
    CHECK(ids({"--seed", "1"}) != ids({"--seed", "2"}));
    CHECK(ids({"--greedy"}) == ids({"--greedy", "--top_k", "1", "--top_p", "0.1"}));
}

TEST_CASE("text is streamed as the JSON has it") {
    const Words prompt = {"--text", "MiniMind 是什么？", "--max_new_tokens", "20", "--eos", "none"};
    Words as_json = prompt;
    as_json.insert(as_json.end(), {"--format", "json"});
    const std::string text = json_of(generate(as_json).out)["text"][0];
    CHECK(generate(prompt).out == text + "\n");
}

TEST_CASE("several rows are shown one after the other") {
    const ProgramResult result = generate({"--input_ids", "1,2;3,4", "--max_new_tokens", "2"});
    CHECK(result.exit_code == 0);
    CHECK(result.out.rfind("[row 0]\n", 0) == 0);
    CHECK(contains(result.out, "\n[row 1]\n"));
}

TEST_CASE("generation ends at the last position, with a note") {
    const ProgramResult result =
        generate({"--input_ids", "1,2,3", "--max_position_embeddings", "8", "--eos", "none", "--format", "json"});
    CHECK(result.exit_code == 0);
    const json answer = json_of(result.out);
    CHECK(answer["ids"][0].size() == 8);
    CHECK(answer["ending"] == "max_position_embeddings");
    CHECK(contains(result.err, "note: it ends here: the model has max_position_embeddings = 8 positions"));
}

TEST_CASE("eos ends a row and is not shown") {
    // The first token of greedy generation as eos: nothing is left to show.
    const Words prompt = {"--input_ids", "1,2,3", "--greedy", "--max_new_tokens", "5"};
    Words as_json = prompt;
    as_json.insert(as_json.end(), {"--format", "json"});
    const json first = json_of(generate(as_json).out)["ids"][0][3];
    as_json.insert(as_json.end(), {"--eos", first.dump()});
    const json answer = json_of(generate(as_json).out);
    CHECK(answer["ids"][0].size() == 4);
    CHECK(answer["text"][0] == "");
    CHECK(answer["ending"] == "eos");
    Words as_text = prompt;
    as_text.insert(as_text.end(), {"--eos", first.dump()});
    CHECK(generate(as_text).out == "\n");
}

TEST_CASE("each step of sampling is shown if asked") {
    const Words prompt = {"--text", "hello", "--max_new_tokens", "2", "--trace_sampling", "--seed", "3"};
    const ProgramResult result = generate(prompt);
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "step 0, row 0\n"));
    CHECK(contains(result.out, "step 1, row 0\n"));
    CHECK(contains(result.out, "top_k 50"));
    CHECK(contains(result.out, "drawn: "));
    Words as_json = prompt;
    as_json.insert(as_json.end(), {"--format", "json"});
    const json answer = json_of(generate(as_json).out);
    REQUIRE(answer["steps"].size() == 2);
    CHECK(answer["steps"][1]["id"] == answer["ids"][0].back());
    CHECK(answer["steps"][0]["filters"][2]["remaining"] == 50);
    double sum = 0.0;  // at most 50 candidates remain, and all of them are listed
    for (const json& candidate : answer["steps"][0]["candidates"]) sum += candidate["probability"].get<double>();
    CHECK(sum == doctest::Approx(1.0).epsilon(1e-5));
}

TEST_CASE("a conversation is read line by line") {
    const Words words = {"--chat", "--max_new_tokens", "4", "--eos", "none", "--greedy"};
    const ProgramResult one = generate(words, "hello\n");
    CHECK(one.exit_code == 0);
    CHECK(one.out != "");
    const ProgramResult two = generate(words, "hello\nand again\n/exit\nnot read\n");
    CHECK(two.exit_code == 0);
    CHECK(two.out.rfind(one.out, 0) == 0);
    CHECK(two.out != one.out);
    CHECK(contains(two.err, "8 tokens in "));
    // Forgotten, the second question gets the answer of a first one.
    CHECK(generate(words, "hello\n/clear\nhello\n").out == one.out + one.out);
    CHECK(generate(words, "").exit_code == 0);
    const ProgramResult invalid = generate(words, "\xff\n");
    CHECK(invalid.exit_code == 2);
    const ProgramResult too_long = generate(words, std::string(200, '!') + "\n");
    CHECK(too_long.exit_code == 2);
    CHECK(contains(too_long.err, "/clear"));
}

TEST_CASE("every stage of every step can be dumped") {
    const TemporaryDirectory directory;
    const Words words = {"--text", "hello", "--max_new_tokens", "3", "--eos", "none", "--dump", directory.path()};
    CHECK(generate(words).exit_code == 0);
    for (const char* step : {"step000", "step001", "step002"}) {
        CAPTURE(step);
        CHECK(fs::exists(directory.path() / step / "tensors.safetensors"));
        std::ifstream file(directory.path() / step / "trace.json");
        CHECK(json_of(file)["hooks"].size() > 20);
    }
    CHECK_FALSE(fs::exists(directory.path() / "step003"));
    CHECK(generate(words).exit_code == 2);  // a dump is there already
}

TEST_CASE("what generate cannot do is an error with exit code 2") {
    const std::vector<Words> wrong = {
        {},
        {"--text", "hello", "--temperature", "0"},
        {"--text", "hello", "--temperature", "-1"},
        {"--text", "hello", "--top_k", "-1"},
        {"--text", "hello", "--top_p", "-0.5"},
        {"--text", "hello", "--repetition_penalty", "0"},
        {"--text", "hello", "--temperature", "1e-300"},
        {"--text", "hello", "--eos", "6400"},
        {"--text", "hello", "--eos", "x"},
        {"--text", "hello", "--max_new_tokens", "-1"},
        {"--text", "hello", "--vocab_size", "10"},
        {"--text", "hello", "--chat", "x.json"},
        {"--text", "hello", "--input_ids", "1"},
        {"--text", "hello", "--open_thinking"},
        {"--text", "hello", "--force"},
        {"--chat", "--input_ids", "1"},
        {"--chat", "--format", "json"},
        {"--chat", "--dump", "/tmp/x"},
        {"--chat", "/does/not/exist.json"},
        {"--input_ids", "1,2,3,4,5", "--max_position_embeddings", "4"},
    };
    for (const Words& words : wrong) {
        std::string line;
        for (const std::string& word : words) line += word + " ";
        CAPTURE(line);
        const ProgramResult result = generate(words);
        CHECK(result.exit_code == 2);
        CHECK(result.err.rfind("error: ", 0) == 0);
        CHECK(result.out == "");
    }
    CHECK(contains(generate({"--text", "hello", "--temperature", "0"}).err, "--greedy"));
}

TEST_CASE("tokenize gives ids, tokens and text, from an argument, a file or standard input") {
    const std::string text = "MiniMind 是\n什么？";
    const json answer = json_of(run_program({"tokenize", text, "--format", "json"}).out);
    CHECK(answer["decoded"] == text);
    CHECK(answer["ids"][0] == 1838);
    CHECK(answer["tokens"][0] == "MiniMind");
    CHECK(answer["tokens"][1] == "Ġ");
    CHECK_FALSE(answer.contains("rendered"));
    CHECK(json_of(run_program({"tokenize", "--format", "json"}, text).out) == answer);
    const TemporaryDirectory directory;
    CHECK(json_of(run_program({"tokenize", "--file", directory.file("t", text), "--format", "json"}).out) == answer);

    const std::string with_zero("a\0b\r\n", 5);  // byte for byte
    CHECK(json_of(run_program({"tokenize", "--format", "json"}, with_zero).out)["decoded"] == with_zero);
    CHECK(json_of(run_program({"tokenize", "--format", "json"}, "").out)["ids"] == json::array());
    CHECK(json_of(run_program({"tokenize", "", "--format", "json"}, "no").out)["ids"] == json::array());
}

TEST_CASE("tokenize shows a table, and decodes ids with special tokens kept") {
    const ProgramResult table = run_program({"tokenize", "是什么"});
    CHECK(table.exit_code == 0);
    CHECK(contains(table.out, " id  bytes"));
    CHECK(contains(table.out, "324  e6 98 af"));
    CHECK(contains(table.out, "\"什么\""));
    const json decoded = json_of(run_program({"tokenize", "--ids", "1,324,645,2", "--format", "json"}).out);
    CHECK(decoded["decoded"] == "<|im_start|>是什么<|im_end|>");
    CHECK(contains(run_program({"tokenize", "--ids", "324,645"}).out, "\n是什么\n"));
}

TEST_CASE("tokenize renders a chat") {
    const TemporaryDirectory directory;
    const std::string chat = directory.file("chat.json", R"([{"role": "user", "content": "hi"}])");
    const json answer = json_of(run_program({"tokenize", "--chat", chat, "--format", "json"}).out);
    CHECK(answer["rendered"] == "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
    CHECK(answer["decoded"] == answer["rendered"]);
    CHECK(contains(run_program({"tokenize", "--chat", chat}).out, "<think>"));
}

TEST_CASE("what tokenize cannot do is an error with exit code 2") {
    const std::vector<Words> wrong = {
        {"text", "--ids", "1"},
        {"text", "--file", "x"},
        {"--ids", "6400"},
        {"--ids", "1;2"},
        {"--ids", "x"},
        {"--ids", ""},
        {"--file", "/does/not/exist"},
        {"--chat", "/does/not/exist"},
        {"--tokenizer_path", "/does/not/exist", "text"},
        {"\xff"},
        {"two", "words"},
    };
    for (Words words : wrong) {
        words.insert(words.begin(), "tokenize");
        std::string line;
        for (const std::string& word : words) line += word + " ";
        CAPTURE(line);
        const ProgramResult result = run_program(words);
        CHECK(result.exit_code == 2);
        CHECK(result.err.rfind("error: ", 0) == 0);
        CHECK(result.out == "");
    }
}
