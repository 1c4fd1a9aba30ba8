#include "console/input_flags.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

#include "console/token_rows.hpp"
#include "io/npy.hpp"
#include "thrown.hpp"
#include "trace/tensor_view.hpp"

using namespace minimind;

namespace {

using Words = std::vector<std::string>;
using Ids = std::vector<std::int64_t>;

struct TokensCommand {
    InputFlags input;
    Arguments args{"demo", "A command to test with."};

    TokensCommand() {
        input.add_batch(args);
        input.add_ids(args);
        input.add_labels(args);
        input.add_attention_mask(args);
        input.add_past(args);
        input.add_logits_to_keep(args);
    }
    TokenInput tokens(const Words& words, std::int64_t vocab_size = 10) {
        const bool is_to_run = args.parse(words);  // outside CHECK, which would keep the exception
        CHECK(is_to_run);
        ModelConfig config = preset("tiny");
        config.vocab_size = vocab_size;
        return input.tokens(completed(config));
    }
};

TokenInput tokens_of(const Words& words) {
    TokensCommand command;
    return command.tokens(words);
}

std::string tokens_error(const Words& words) {
    return thrown([&] { static_cast<void>(tokens_of(words)); });
}

/// A file in the folder of the test run, gone at the end of the test.
struct TemporaryFile {
    std::string path;

    TemporaryFile(const std::string& name, const std::string& text) : path("/tmp/minimind_console_test_" + name) {
        std::ofstream(path) << text;
    }
    ~TemporaryFile() { std::remove(path.c_str()); }
};

}  // namespace

TEST_CASE("without flags: 2 rows of 6 counted ids") {
    TokensCommand command;
    const TokenInput input = command.tokens({}, 7);
    CHECK(input.ids.batch.batch == 2);
    CHECK(input.ids.batch.seq == 6);
    CHECK(input.ids.ids == Ids{0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4});  // (b * 6 + s) mod 7
    CHECK_FALSE(input.labels.has_value());
    CHECK(input.attention_mask.is_empty());
}

TEST_CASE("ids as text, JSON and files") {
    const TemporaryFile flat("flat.json", "[1, 2, 3]");
    const TemporaryFile rows("rows.json", "[[1, 2, 3],\n [4, 5, 6]]\n");
    const TemporaryFile array("rows.npy", "");
    const Ids six = {1, 2, 3, 4, 5, 6};
    write_npy(array.path, TensorView(six.data(), Shape{2, 3}));

    CHECK(tokens_of({"--input_ids", "1,2,3"}).ids.ids == Ids{1, 2, 3});
    CHECK(tokens_of({"--input_ids", flat.path}).ids.ids == Ids{1, 2, 3});
    CHECK(tokens_of({"--input_ids", flat.path}).ids.batch.batch == 1);
    for (const std::string& value : {std::string("1,2,3;4,5,6"), std::string(" 1, 2,3 ; 4,5,6 "),
                                     std::string("[[1,2,3],[4,5,6]]"), rows.path, array.path}) {
        CAPTURE(value);
        const TokenInput input = tokens_of({"--input_ids", value});
        CHECK(input.ids.batch.batch == 2);
        CHECK(input.ids.batch.seq == 3);
        CHECK(input.ids.ids == six);
    }
    CHECK(tokens_of({"--input_ids", "5"}).ids.ids == Ids{5});
    CHECK(tokens_of({"--input_ids", "1,2;3,4", "--batch_size", "2", "--seq_len", "2"}).ids.ids == Ids{1, 2, 3, 4});
}

TEST_CASE("rows that are none") {
    for (const char* value : {"",
                              " ",
                              ";",
                              "1,2;",
                              ";1",
                              "1,,2",
                              ",1",
                              "1,",
                              "a",
                              "1;2,3",
                              "1.5",
                              "012",
                              "1 2",
                              "0x1",
                              "[",
                              "[]",
                              "[[]]",
                              "[1,[2]]",
                              "[[1],2]",
                              "[[1],[2,3]]",
                              "[1.0]",
                              "[true]",
                              "[null]",
                              "[\"1\"]",
                              "[1e400]",
                              "[18446744073709551615]",
                              "99999999999999999999",
                              "nofile.json",
                              "nofile.npy",
                              "/tmp/.json",
                              "[[[1]]]",
                              "{\"a\":1}",
                              "[1,2,3",
                              "1,2,3\n"}) {
        CAPTURE(value);
        CHECK(contains(tokens_error({"--input_ids", value}), "\n  --> "));
    }
    CHECK(tokens_error({"--input_ids", "1,2,3;4,x,6"}) ==
          "error: \"x\" is not a whole number\n"
          "  --> --input_ids 1,2,3;4,x,6\n"
          "  note: a whole number is written in decimal digits, without leading zeros\n"
          "  note: this is the value at [1, 1]\n");
    CHECK(tokens_error({"--input_ids", "1,2,3;4,5"}) ==
          "error: the rows have different lengths\n"
          "  --> --input_ids 1,2,3;4,5\n"
          "  note: row 0 has length 3, row 1 has length 2\n"
          "  help: pad the shorter rows, and hide the padding with --attention_mask\n");
    const TemporaryFile broken("broken.json", "[1, 2");
    const TemporaryFile empty("empty.npy", "");
    CHECK(tokens_error({"--input_ids", broken.path}) != "");
    CHECK(tokens_error({"--input_ids", empty.path}) != "");
    CHECK(tokens_error({"--input_ids", "[" + std::string(100'000, '[')}) != "");  // deep nesting ends no program
}

TEST_CASE("ids outside the vocabulary: position and value") {
    CHECK(tokens_error({"--input_ids", "1,2;3,10"}) ==
          "error: token id 10 at [1, 1] is out of range\n"
          "  --> --input_ids 1,2;3,10\n"
          "  note: vocab_size is 10: ids are 0 to 9\n");
    CHECK(contains(tokens_error({"--input_ids", "-1,2"}), "error: token id -1 at [0, 0] is out of range\n"));
}

TEST_CASE("batch_size and seq_len beside ids must agree") {
    CHECK(tokens_error({"--input_ids", "1,2", "--batch_size", "2"}) ==
          "error: --batch_size says 2, the ids have 1\n"
          "  --> --batch_size 2\n"
          "  note: the ids have shape [1, 2]\n"
          "  help: leave out --batch_size\n");
    CHECK(
        contains(tokens_error({"--input_ids", "1,2", "--seq_len", "3"}), "error: --seq_len says 3, the ids have 2\n"));
}

TEST_CASE("a sequence that is too long") {
    CHECK(tokens_error({"--seq_len", "129"}) ==
          "error: a sequence of 129 tokens is longer than the 128 positions of the model\n"
          "  --> --seq_len 129\n"
          "  note: max_position_embeddings is the number of rows of the rotary tables\n"
          "  help: use --max_position_embeddings 129, or a sequence of at most 128 tokens\n");
    CHECK(tokens_of({"--seq_len", "128"}).ids.batch.seq == 128);
    for (const char* value : {"0", "-1", "99999999999999999999", "2147483649", ""}) {
        CAPTURE(value);
        CHECK(tokens_error({"--batch_size", value}) != "");
        CHECK(tokens_error({"--seq_len", value}) != "");
    }
    // 2^31 rows of 128 tokens are 2 TiB of ids alone: refused before they are made.
    CHECK(contains(tokens_error({"--seq_len", "128", "--batch_size", "2147483648"}), "of memory are needed"));
}

TEST_CASE("labels") {
    const TokenInput input = tokens_of({"--input_ids", "1,2,3", "--labels", "-100,2,9"});
    REQUIRE(input.labels.has_value());
    CHECK(input.labels->ids == Ids{-100, 2, 9});
    CHECK(contains(tokens_error({"--input_ids", "1,2,3", "--labels", "-100,2,10"}),
                   "label 10 at [0, 2] is out of range"));
    CHECK(contains(tokens_error({"--input_ids", "1,2,3", "--labels", "-1,2,3"}), "label -1 at [0, 0] is out of range"));
    CHECK(tokens_error({"--input_ids", "1,2,3", "--labels", "1,2"}) ==
          "error: --labels has shape [1, 2], the ids have [1, 3]\n"
          "  --> --labels 1,2\n"
          "  help: give one value for each token id\n");
}

TEST_CASE("the attention mask") {
    const TokenInput input = tokens_of({"--input_ids", "1,2,3;4,5,6", "--attention_mask", "0,1,1;1,1,0"});
    CHECK(input.attention_mask.n_rows == 3);  // fmat(S, B): one column is one row of the batch
    CHECK(input.attention_mask.n_cols == 2);
    CHECK(input.attention_mask(0, 0) == 0.0f);
    CHECK(input.attention_mask(1, 0) == 1.0f);
    CHECK(input.attention_mask(2, 1) == 0.0f);
    CHECK(contains(tokens_error({"--input_ids", "1,2", "--attention_mask", "0,2"}), "mask value 2 at [0, 1]"));
    CHECK(contains(tokens_error({"--input_ids", "1,2", "--attention_mask", "1"}), "has shape [1, 1]"));
}

TEST_CASE("the cache and the logits") {
    CHECK(tokens_of({"--input_ids", "1,2,3", "--past", "2"}).past == 2);
    CHECK(tokens_of({"--logits_to_keep", "1"}).logits_to_keep == 1);
    CHECK(contains(tokens_error({"--input_ids", "1,2,3", "--past", "3"}), "--> --past 3\n  help: use 0 to 2\n"));
    CHECK(contains(tokens_error({"--past", "-1"}), "allowed: at least 0"));
    CHECK(contains(tokens_error({"--logits_to_keep", "-1"}), "allowed: at least 0"));
}
