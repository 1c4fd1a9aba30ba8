#include "console/arguments.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "console/cells.hpp"
#include "console/flag_words.hpp"
#include "thrown.hpp"

using namespace minimind;

namespace {

using Words = std::vector<std::string>;

/// A command with one flag of each kind.
struct Command {
    std::int64_t hidden = 64;
    std::int64_t heads = 4;
    double eps = 1e-6;
    std::string text = "hello";
    std::string format = "text";
    std::string labels;
    bool moe = false;
    bool compare = false;
    Words filters;
    std::string file;
    Arguments args{"demo", "A command to test with."};

    explicit Command(bool with_file = false) {
        args.group("model");
        args.integer("--hidden_size", hidden, "width", {1, 1000});
        args.integer("--num_attention_heads", heads, "query heads");
        args.real("--rms_norm_eps", eps, "epsilon");
        args.zero_one("--use_moe", moe, "experts");
        args.group("");
        args.text("--text", text, "a text");
        args.text("--labels", labels, "labels");
        args.choice("--format", format, {"text", "json"}, "output format");
        args.flag("--compare", compare, "show a second model");
        args.repeated("--filter", filters, "a name or glob");
        if (with_file) args.positional("FILE", file, "a file").optional();
        args.example("minimind demo --compare", "two models side by side");
    }

    bool parse(const Words& words) { return args.parse(words); }
    std::string error(const Words& words) {
        return thrown([&] { static_cast<void>(args.parse(words)); });
    }
};

}  // namespace

TEST_CASE("without words the defaults stand") {
    Command command;
    CHECK(command.parse({}));
    CHECK(command.hidden == 64);
    CHECK(command.text == "hello");
    CHECK_FALSE(command.args.given("--hidden_size"));
    CHECK_THROWS_AS(static_cast<void>(command.args.given("--unknown")), std::logic_error);
}

TEST_CASE("the spellings of a flag") {
    for (const Words& words :
         {Words{"--hidden_size", "96"}, Words{"--hidden_size=96"}, Words{"--hidden-size", "96"},
          Words{"--hidden-size=96"}, Words{"--hid", "96"}, Words{"--hidden=96"}, Words{"--hidden-s", "96"},
          Words{"--hidden_size", "5", "--hidden_size", "96"}}) {  // the last one counts
        Command command;
        CAPTURE(words.front());
        CHECK(command.parse(words));
        CHECK(command.hidden == 96);
        CHECK(command.args.given("--hidden_size"));
        CHECK_FALSE(command.args.given("--compare"));
    }
}

TEST_CASE("values that look like something else are values") {
    for (const std::string value :
         {"",          "-100,5", "-1", "-",   "--x y", "{}", "[1,2]", "[a,b]",       "a=b", "%%",  "/opt",
          "--unknown", "'q'",    "\"", "a b", "++",    "-x", "你好",  "--unknown=5", "\n",  "FILE"}) {
        Command command;
        CAPTURE(value);
        CHECK(command.parse({"--labels", value, "--hidden_size", "8"}));
        CHECK(command.labels == value);
        Command joined;
        CHECK(joined.parse({"--labels=" + value, "--hidden_size", "8"}));
        CHECK(joined.labels == value);
        CHECK(joined.hidden == 8);
    }
}

TEST_CASE("the name of a flag is no value unless it is joined") {
    Command command;
    CHECK(command.error({"--text", "--hidden_size", "5"}) ==
          "error: --text needs a value\n"
          "  --> --text --hidden_size\n"
          "  help: write --text TEXT\n"
          "  help: write --text=--hidden_size if that is the value\n");
    CHECK(command.error({"--hidden_size"}) ==
          "error: --hidden_size needs a value\n"
          "  --> --hidden_size\n"
          "  help: write --hidden_size N\n");
    CHECK(command.error({"--text", "--"}) != "");
    CHECK(command.parse({"--text=--hidden_size"}));
    CHECK(command.text == "--hidden_size");
    CHECK(command.parse({"--text=--"}));
    CHECK(command.text == "--");
}

TEST_CASE("every bad number is an error that shows flag and value") {
    Command command;
    for (const char* value : {"", "012", "nan", "inf", "1e400", "0x10", "1_000", " 5", "+5", "5.0", "abc", "-5", "0",
                              "1001", "99999999999999999999"}) {
        CAPTURE(value);
        const std::string shown = *value == '\0' || *value == ' ' ? "\"" + std::string(value) + "\"" : value;
        CHECK(contains(command.error({"--hidden_size", value}), "\n  --> --hidden_size " + shown + "\n"));
        CHECK(contains(command.error({std::string("--hidden_size=") + value}), "--> --hidden_size " + shown + "\n"));
    }
    for (const char* value : {"", "nan", "-inf", "1e400", "1,5"}) {
        CAPTURE(value);
        CHECK(command.error({"--rms_norm_eps", value}) != "");
    }
}

TEST_CASE("0 and 1, and a switch") {
    Command command;
    CHECK(command.parse({"--use_moe", "1"}));
    CHECK(command.moe);
    CHECK(command.parse({"--use_moe", "0"}));
    CHECK_FALSE(command.moe);
    CHECK(command.parse({"--use_moe", "--compare"}));  // alone it means 1
    CHECK(command.moe);
    CHECK(command.compare);
    CHECK(command.error({"--use_moe", "yes"}) ==
          "error: \"yes\" is neither 0 nor 1\n  --> --use_moe yes\n  help: write 1\n");
    CHECK(command.error({"--compare=1"}) == "error: --compare takes no value\n  --> --compare=1\n");
    CHECK(contains(command.error({"--compare", "1"}), "error: unexpected word \"1\""));
}

TEST_CASE("choices, and values one at a time") {
    Command command(true);
    CHECK(command.parse({"--format", "json", "--filter", "a*", "--filter=[qk]", "FILE"}));
    CHECK(command.format == "json");
    CHECK(command.filters == Words{"a*", "[qk]"});  // CLI11 would split the brackets and swallow FILE
    CHECK(command.file == "FILE");
    CHECK(command.error({"--format", "jsn"}) ==
          "error: unknown choice \"jsn\"\n"
          "  --> --format jsn\n"
          "  note: known: text, json\n"
          "  help: did you mean json?\n");
    CHECK(command.error({"--format", ""}) != "");
}

TEST_CASE("positionals") {
    Command command(true);
    CHECK(command.parse({"-5", "--hidden_size", "8"}));
    CHECK(command.file == "-5");
    CHECK(command.parse({"--hidden_size", "8", "--", "--hidden_size"}));
    CHECK(command.file == "--hidden_size");
    CHECK(command.parse({""}));
    CHECK(command.file == "");
    CHECK(command.args.given("FILE"));
    CHECK(command.parse({"- a list"}));
    CHECK(command.file == "- a list");
    CHECK(contains(command.error({"one", "two"}), "error: unexpected word \"two\"\n  --> two\n"));
    CHECK(command.error({"one", "compare"}).find("did you mean --compare?") != std::string::npos);

    Command without;
    CHECK(without.error({"compare"}) ==
          "error: unexpected word \"compare\"\n  --> compare\n  help: did you mean --compare?\n");
    CHECK(without.error({"--", "x"}) != "");

    std::string path;
    Arguments needs("inspect", "x");
    needs.positional("FILE", path, "a checkpoint");
    CHECK(thrown([&] { static_cast<void>(needs.parse({})); }) ==
          "error: FILE is missing\n  --> minimind inspect\n  note: FILE: a checkpoint\n");
}

TEST_CASE("an unknown flag: the name that was meant") {
    Command command;
    CHECK(command.error({"--dim", "64"}) ==
          "error: unknown flag --dim\n  --> --dim 64\n  help: here this is called --hidden_size\n");
    CHECK(
        contains(command.error({"--n_heads=3"}), "--> --n_heads=3\n  help: here this is called --num_attention_heads"));
    CHECK(contains(command.error({"--hiden_size", "3"}), "help: did you mean --hidden_size?\n"));
    CHECK(contains(command.error({"-hidden_size", "3"}), "help: did you mean --hidden_size?\n"));
    CHECK(
        contains(command.error({"--bs", "3"}), "note: here this is called --batch_size, which this command does not"));
    CHECK(contains(command.error({"--zzzzzz"}), "help: \"minimind demo --help\" lists the flags\n"));
    CHECK(contains(command.error({"--f", "3"}), "error: --f is ambiguous\n"));
    CHECK(contains(command.error({"--f", "3"}), "note: it could be --format, --filter\n"));
    CHECK(contains(command.error({"-x"}), "error: unknown flag -x\n"));
    CHECK(command.error({"--=5"}) != "");
    CHECK(contains(command.error({"---"}), "unknown flag ---"));
}

TEST_CASE("other programs' names") {
    const std::pair<const char*, const char*> names[] = {
        {"--dim", "--hidden_size"},
        {"--d_model", "--hidden_size"},
        {"--n_embd", "--hidden_size"},
        {"--n-embd", "--hidden_size"},
        {"--n_layer", "--num_hidden_layers"},
        {"--n_layers", "--num_hidden_layers"},
        {"--layers", "--num_hidden_layers"},
        {"--n_heads", "--num_attention_heads"},
        {"--heads", "--num_attention_heads"},
        {"--n_kv_heads", "--num_key_value_heads"},
        {"--vocab", "--vocab_size"},
        {"--ffn_dim", "--intermediate_size"},
        {"--bs", "--batch_size"},
        {"--seq", "--seq_len"},
        {"--max_seq_len", "--seq_len"},
        {"--block_size", "--max_position_embeddings"},
    };
    for (const auto& [theirs, ours] : names) {
        const std::string word(theirs);
        CAPTURE(word);
        REQUIRE_FALSE(own_names(theirs).empty());
        CHECK(own_names(theirs).front() == ours);
    }
    CHECK(own_names("--max_seq_len").back() == "--max_position_embeddings");
    CHECK(own_names("--unheard_of").empty());
}

TEST_CASE("help wins over mistakes, but not after --") {
    CHECK(asks_for_help({"--bogus", "--help"}));
    CHECK(asks_for_help({"-h"}));
    CHECK_FALSE(asks_for_help({"--text=--help"}));
    CHECK_FALSE(asks_for_help({"--", "--help"}));
}

TEST_CASE("the help of a command") {
    const Command command(true);
    CHECK(command.args.help_text(80) ==
          "usage: minimind demo [flags] [FILE]\n"
          "\n"
          "A command to test with.\n"
          "\n"
          "arguments:\n"
          "  FILE  a file\n"
          "\n"
          "model:\n"
          "  --hidden_size N          width (default: 64)\n"
          "  --num_attention_heads N  query heads (default: 4)\n"
          "  --rms_norm_eps X         epsilon (default: 1e-06)\n"
          "  --use_moe 0|1            experts (default: 0)\n"
          "\n"
          "other flags:\n"
          "  --text TEXT         a text (default: hello)\n"
          "  --labels TEXT       labels\n"
          "  --format text|json  output format (default: text)\n"
          "  --compare           show a second model\n"
          "  --filter TEXT       a name or glob\n"
          "  --help              show this help (also -h)\n"
          "\n"
          "examples:\n"
          "  minimind demo --compare\n"
          "      two models side by side\n");
}

TEST_CASE("no line of a help is wider than asked for") {
    std::int64_t n = 0;
    std::string description(40, 'x');
    description.append(1, ' ').append(50, 'y').append(" and more words than one line holds");
    Arguments args("demo", description);
    args.integer("--a_flag_with_a_name_that_is_far_too_long", n, "and a help text that is long enough for two lines");
    args.integer("--short", n, "中文的说明没有空格，所以只能在两个字之间换行，否则这一行就会太长，超出终端的宽度。");
    for (const std::size_t width : {60u, 80u, 100u}) {
        const std::string help = args.help_text(width);
        std::size_t start = 0;
        while (start < help.size()) {
            const std::size_t end = help.find('\n', start);
            CHECK(display_width(help.substr(start, end - start)) <= width);
            start = end + 1;
        }
    }
}

TEST_CASE("a value that matters early") {
    CHECK(early_value({"trace", "--color", "never", "--color=always"}, "--color") == "always");
    CHECK(early_value({"--color"}, "--color") == "");
    CHECK(early_value({"--", "--color", "never"}, "--color") == "");
}

TEST_CASE("declaring a flag twice is a bug") {
    Command command;
    CHECK_THROWS_AS(command.args.flag("--compare", command.compare, ""), std::logic_error);
}
