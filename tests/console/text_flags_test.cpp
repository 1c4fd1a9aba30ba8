#include "console/text_flags.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "console/data_files.hpp"
#include "console/input_flags.hpp"
#include "support/temporary_directory.hpp"
#include "thrown.hpp"

using namespace minimind;

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Ids = std::vector<std::int64_t>;

struct TextCommand {
    InputFlags input;
    Arguments args{"demo", "A command to test with."};

    TextCommand() {
        input.add_batch(args);
        input.add_ids(args);
        input.add_text(args);
    }
    TokenInput tokens(const Words& words, std::int64_t vocab_size = 6400, const CheckpointPath& checkpoint = {}) {
        const bool is_to_run = args.parse(words);
        CHECK(is_to_run);
        ModelConfig config = preset("tiny");
        config.vocab_size = vocab_size;
        input.read_text(checkpoint);
        return input.tokens(completed(config));
    }
};

std::string text_error(const Words& words, std::int64_t vocab_size = 6400, const CheckpointPath& checkpoint = {}) {
    TextCommand command;
    return thrown([&] { static_cast<void>(command.tokens(words, vocab_size, checkpoint)); });
}

}  // namespace

TEST_CASE("data files are found in the source tree, and the first directory that has one wins") {
    CHECK(fs::exists(data_file("labs/data/tokenizer.json")));
    const TemporaryDirectory first;
    const TemporaryDirectory second;
    second.file("b");
    CHECK(data_file("b", {first.path(), second.path()}) == second.path() / "b");
    first.file("b");
    CHECK(data_file("b", {first.path(), second.path()}) == first.path() / "b");
    const std::string error = thrown([&] { data_file("c", {first.path(), second.path()}); });
    CHECK(contains(error, first.path().string()));
    CHECK(contains(error, second.path().string()));
}

TEST_CASE("which tokenizer a model gets") {
    const TemporaryDirectory tree;
    const fs::path own = tree.file("hf/tokenizer.json");
    tree.file("bare/model.safetensors");
    const fs::path weights = tree.file("hf/model.safetensors");
    const fs::path pth = tree.file("out/pretrain.pth");
    const fs::path safetensors = tree.file("out/pretrain.safetensors");
    const fs::path of_repository = tree.file("model/tokenizer.json");
    const auto found = [](const std::string& explicit_path, const CheckpointPath& checkpoint) {
        return find_tokenizer(explicit_path, checkpoint).value_or("none");
    };
    CHECK(found("given", tree.path() / "hf") == "given");
    CHECK(found("", tree.path() / "hf") == own);
    CHECK(found("", weights) == own);
    CHECK(fs::equivalent(found("", pth), of_repository));
    CHECK(found("", safetensors) == "none");  // ../model/ is for a .pth
    CHECK(found("", tree.path() / "bare") == "none");
    CHECK(found("", std::nullopt) == data_file("labs/data/tokenizer.json"));
}

TEST_CASE("--text gives one row of ids") {
    TextCommand command;
    const TokenInput input = command.tokens({"--text", "MiniMind 是什么？"});
    CHECK(input.ids.batch.batch == 1);
    CHECK(input.ids.ids == Ids{1838, 256, 324, 645, 485});  // as the lab inspect_tokenizer of the course shows them
    CHECK(command.input.batch().seq == 5);
    CHECK(command.input.tokenizer() != nullptr);
}

TEST_CASE("--chat gives the ids of the rendered chat") {
    const TemporaryDirectory tree;
    const fs::path chat = tree.file("chat.json", R"([{"role": "user", "content": "MiniMind 是什么？"}])");
    TextCommand command;
    const TokenInput input = command.tokens({"--chat", chat.string()});
    CHECK(input.ids.ids ==
          Ids{1, 718, 316, 234, 1838, 256, 324, 645, 485, 2, 234, 1, 1313, 777, 739, 234, 25, 320, 26, 320});
}

TEST_CASE("text that cannot be used is an error") {
    CHECK(contains(text_error({"--text", ""}), "error: the text has no tokens\n  --> --text \"\"\n"));
    CHECK(contains(text_error({"--text", "\xff"}), "--text"));
    CHECK(contains(text_error({"--text", "hello", "--chat", "x.json"}), "--text cannot be combined with --chat"));
    CHECK(contains(text_error({"--text", "hello", "--input_ids", "1"}), "--input_ids cannot be combined with --text"));
    CHECK(contains(text_error({"--text", "hello", "--batch_size", "2"}), "--batch_size says 2, the ids have 1"));
    CHECK(contains(text_error({"--chat", "/does/not/exist.json"}), "/does/not/exist.json"));
    CHECK(contains(text_error({"--text", "hello", "--tokenizer_path", "/does/not/exist"}), "/does/not/exist"));
    CHECK(contains(text_error({"--text", "hello", "--tokenizer_path", ""}), "--tokenizer_path is empty"));
    const std::string outside = text_error({"--text", "MiniMind"}, 1000);  // its id is 1838
    CHECK(contains(outside, "token id 1838 at [0, 0] is out of range"));
    CHECK(contains(outside, "--text MiniMind"));
    const std::string too_long = text_error({"--text", std::string(300, '!')}, 6400);
    CHECK(contains(too_long, "positions of the model"));
}

TEST_CASE("a checkpoint without a tokenizer never gets the project's") {
    const TemporaryDirectory tree;
    tree.file("model.safetensors");
    const CheckpointPath checkpoint = tree.path().string();
    const std::string error = text_error({"--text", "hello"}, 6400, checkpoint);
    CHECK(contains(error, "--text needs the tokenizer that the checkpoint was trained with"));
    CHECK(contains(error, "--tokenizer_path"));
    TextCommand ids;
    CHECK(ids.tokens({"--input_ids", "1,2"}, 6400, checkpoint).ids.ids == Ids{1, 2});  // ids need none
    TextCommand given;
    const std::string ours = data_file("labs/data/tokenizer.json").string();
    CHECK(given.tokens({"--text", "MiniMind", "--tokenizer_path", ours}, 6400, checkpoint).ids.ids == Ids{1838});
}

TEST_CASE("--chat alone is a conversation where the command has one") {
    for (const Words& words : {Words{"--chat"}, Words{"--chat", "--other"}}) {
        TextFlags text;
        bool other = false;
        Arguments args("demo", "A command to test with.");
        text.add_chat(args, true);
        args.flag("--other", other, "another flag");
        CHECK(args.parse(words));
        CHECK(text.is_interactive());
        CHECK_FALSE(text.has_text());
        CHECK(other == (words.size() == 2));
    }
    TextFlags text;
    Arguments args("demo", "A command to test with.");
    text.add_chat(args, true);
    CHECK(args.parse({"--chat", "x.json"}));
    CHECK_FALSE(text.is_interactive());
    CHECK(text.has_text());
    CHECK(contains(text_error({"--chat"}), "--chat needs a value"));  // where the command has none
}
