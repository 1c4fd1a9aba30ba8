#include "report/lab_output.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <limits>

#include "report/json_layout.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

using namespace minimind;
using Json = LabOutput::Json;

namespace {

/// What the function prints to stdout.
std::string printed(const std::function<void()>& print) {
    const TemporaryDirectory directory;
    const std::filesystem::path path = directory.file("out", "");
    std::fflush(stdout);
    const int terminal = dup(STDOUT_FILENO);
    REQUIRE(std::freopen(path.c_str(), "w", stdout) != nullptr);
    print();
    std::fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    return file_text(path);
}

/// What a small lab prints with these flags.
std::string lab(std::vector<std::string> words, const std::function<void(LabOutput&)>& show) {
    LabFlags flags;
    Arguments args("demo", "A lab to test with.");
    flags.add(args);
    words.insert(words.end(), {"--color", "never"});
    REQUIRE(args.parse(words));
    return printed([&] {
        LabOutput out("demo", flags);
        show(out);
        out.finish();
    });
}

void show_two_sections(LabOutput& out) {
    out.section("Sizes", {"Sizes in words.", "说说尺寸。"});
    out.value("hidden_size", 64);
    out.value("eps", 1e-6);
    out.value("tied", true);
    out.value("past", nullptr);
    out.value("ids", {1, 2});
    out.value("loss", 0.25F, "0.2500");
    out.shape("x", {2, 6, 64});
    out.axes("logits", {"batch", 64}, 10);
    out.section("Rows", {"", ""});
    out.line("name | count");
    out.row("a    |     1", {{"name", "a"}, {"count", 1}});
    out.matrix("weights", arma::fmat{{1.0F, 0.0F}, {0.25F, 0.75F}}, "{: .2f}");
    out.only_json("raw", {0.125});
    out.note({"A sentence.", "一句话。"});
}

}  // namespace

TEST_CASE("a lab's text: sections with an empty line between them, values as Python prints them") {
    CHECK(lab({"--lang", "en"}, show_two_sections) ==
          "[Sizes]\nhidden_size=64\neps=1e-06\ntied=True\npast=None\nids=[1, 2]\nloss=0.2500\nx.shape=(2, 6, 64)\n"
          "logits:   [batch, 64]\n\n[Rows]\nname | count\na    |     1\n 1.00  0.00\n 0.25  0.75\nA sentence.\n");
}

TEST_CASE("a lab's JSON: numbers and arrays under the names of the text") {
    const Json json = Json::parse(lab({"--format", "json", "--lang", "zh"}, show_two_sections));
    CHECK(json["lab"] == "demo");
    REQUIRE(json["sections"].size() == 2);
    CHECK(json["sections"][0] == Json::parse(R"({"title": "Sizes", "values": {"hidden_size": 64, "eps": 1e-06,
        "tied": true, "past": null, "ids": [1, 2], "loss": 0.25, "x.shape": [2, 6, 64], "logits": ["batch", 64]}})"));
    CHECK(json["sections"][1] == Json::parse(R"({"title": "Rows", "rows": [{"name": "a", "count": 1}],
        "values": {"weights": [[1.0, 0.0], [0.25, 0.75]]}, "raw": [0.125], "notes": ["一句话。"]})"));
}

TEST_CASE("--explain puts the prose at the end of its section, in the language asked for") {
    const std::string english = lab({"--explain", "--lang", "en"}, show_two_sections);
    CHECK(english.find("logits:   [batch, 64]\n  » Sizes in words.\n\n[Rows]") != std::string::npos);
    CHECK(english.substr(english.size() - 12) == "A sentence.\n");  // a section without prose has none
    const std::string chinese = lab({"--explain", "--lang", "zh"}, show_two_sections);
    CHECK(chinese.find("  » 说说尺寸。\n") != std::string::npos);
    const Json json = Json::parse(lab({"--explain", "--format", "json", "--lang", "en"}, show_two_sections));
    CHECK(json["sections"][0]["explanation"] == "Sizes in words.");
    CHECK(!json["sections"][1].contains("explanation"));
}

TEST_CASE("prose is wrapped, also where the terminal is hardly wider than the mark") {
    for (const char* columns : {"1", "30", "500"}) {
        setenv("COLUMNS", columns, 1);
        const std::string text = lab({"--explain", "--lang", "en"}, [](LabOutput& out) {
            out.section("Long", {std::string(40, 'x') + " " + std::string(80, 'y'), ""});
        });
        CHECK(text.find("  » x") != std::string::npos);
        CHECK(text.find(std::string(101, 'x')) == std::string::npos);
    }
    unsetenv("COLUMNS");
}

TEST_CASE("explanations given by title, other headings, and prose before what closes a section") {
    const auto show = [](LabOutput& out) {
        out.explain_with({{"One", {"First.", ""}}, {"Note", {"Last.", ""}}});
        out.section("One");
        out.section("Two");
        out.section_headed("Note:", "Note");
        out.end_section();
        out.line("");
    };
    CHECK(lab({"--explain", "--lang", "en"}, show) == "[One]\n  » First.\n\n[Two]\n\nNote:\n  » Last.\n\n");
    const auto bare = [](LabOutput& out) { out.section_headed("", "Table"); };
    CHECK(lab({}, bare) == "");
}

TEST_CASE("what JSON cannot hold: NaN and infinity are null, broken text is repaired") {
    const std::string text = lab({"--format", "json"}, [](LabOutput& out) {
        out.value("nan", std::numeric_limits<double>::quiet_NaN());
        out.value("inf", std::numeric_limits<float>::infinity());
        out.value("text", "a\xff\"");
    });
    const Json values = Json::parse(text)["sections"][0]["values"];
    CHECK(values == Json::parse(R"({"nan": null, "inf": null, "text": "a\ufffd\""})"));
    CHECK(lab({}, [](LabOutput& out) { out.value("nan", std::numeric_limits<double>::quiet_NaN()); }) == "nan=nan\n");
}

TEST_CASE("blanks are filled in, all others stay") {
    const Words words = filled({"{a} of {b}, {c} and {", "{a}{a}"}, {{"a", "1"}, {"b", "{a}"}});
    CHECK(words.en == "1 of {a}, {c} and {");  // what was filled in is not looked at again
    CHECK(words.zh == "11");
    ModelConfig config = preset("tiny");
    config.num_key_value_heads = 1;
    const Words heads = filled({"{h heads} share {k heads}", ""}, size_blanks(completed(config), {2, 1}));
    CHECK(heads.en == "4 query heads share 1 key/value head");
}

TEST_CASE("JSON as people read it: a row on a line, a list of plain values on a line") {
    const Json json = {{"rows", {{{"n", 1}, {"shape", {2, 3}}}, {{"n", 2}, {"shape", {4}}}}},
                       {"ids", {1, 2, 3}},
                       {"nested", Json::array({{1, 2}})},
                       {"none", Json::array()}};
    CHECK(laid_out(json) ==
          "{\n"
          "  \"rows\": [\n"
          "    {\"n\": 1, \"shape\": [2, 3]},\n"
          "    {\"n\": 2, \"shape\": [4]}\n"
          "  ],\n"
          "  \"ids\": [1, 2, 3],\n"
          "  \"nested\": [[1, 2]],\n"
          "  \"none\": []\n"
          "}");
    CHECK(laid_out(Json::parse("[]")) == "[]");
    CHECK(laid_out(3) == "3");
}
