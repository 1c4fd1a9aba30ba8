#include <doctest/doctest.h>

#include <map>

#include "console/called_as.hpp"
#include "console/cells.hpp"
#include "console/language.hpp"
#include "console/table.hpp"
#include "core/text.hpp"
#include "thrown.hpp"

using namespace minimind;

TEST_CASE("terminal cells") {
    const std::pair<const char*, std::size_t> widths[] = {
        {"", 0},       {"abc", 3},      {"你好", 4}, {"e\u0301", 1},   {"é", 1},     {"🦊", 2},
        {"，", 2},     {"…", 1},        {"\xff", 1}, {"a\xe4\xbd", 3}, {"\n\t", 0},  {"\x1b[1;31mred\x1b[0m", 3},
        {"\u200b", 0}, {"ｆｕｌｌ", 8}, {"한글", 4}, {"−", 1},         {"\x1b[", 1}, {"ÄÖ", 2},
    };
    for (const auto& [text, width] : widths) {
        const std::string shown(text);
        CAPTURE(shown);
        CHECK(display_width(text) == width);
    }
}

TEST_CASE("padding and cutting by cells") {
    CHECK(pad_right("你好", 6) == "你好  ");
    CHECK(pad_left("你好", 6) == "  你好");
    CHECK(pad_left("12345", 3) == "12345");
    CHECK(truncated("hello", 5) == "hello");
    CHECK(truncated("hello", 4) == "hel…");
    CHECK(truncated("你好吗", 6) == "你好吗");
    CHECK(truncated("你好吗", 5) == "你好…");
    CHECK(truncated("你好吗", 4) == "你…");  // half a character is never shown
    CHECK(truncated("hello", 1) == "…");
    CHECK(truncated("hello", 0) == "");
}

TEST_CASE("wrapping") {
    using Lines = std::vector<std::string>;
    CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
    CHECK(wrap("one two three", 100) == Lines{"one two three"});
    CHECK(wrap("onetwothree", 4) == Lines{"onet", "woth", "ree"});
    CHECK(wrap("你好世界", 5) == Lines{"你好", "世界"});
    CHECK(wrap("把 34 个位置都算上", 10) == Lines{"把 34 个位", "置都算上"});  // not after 把, where the last space is
    CHECK(wrap("其余 4 个", 7) == Lines{"其余 4", "个"});                      // no space at the end of a line
    CHECK(wrap("用 loss，再用 logits", 8) == Lines{"用", "loss，再", "用", "logits"});
    CHECK(wrap("你好，世界", 4) == Lines{"你", "好，", "世界"});  // 你好 fits, but then a comma would start a line
    CHECK(wrap("你（好）", 5) == Lines{"你", "（好", "）"});      // no place to break, so between any two
    CHECK(wrap("a\n\nb", 5) == Lines{"a", "", "b"});
    CHECK(wrap("", 5) == Lines{""});
    CHECK(wrap("ab", 0) == Lines{"a", "b"});  // at least one character a line: no endless loop
}

TEST_CASE("nothing steers the terminal") {
    CHECK(visible("a\n\x1b[31mb\r\t\x7f") == "a\\n\\x1b[31mb\\r\\t\\x7f");
    CHECK(visible("你好 🦊") == "你好 🦊");
    CHECK(visible("\xff\xc3") == "\\xff\\xc3");
    CHECK(visible("\u009b") == "\\xc2\\x9b");  // a control character of two bytes
}

TEST_CASE("the language: flag, MINIMIND_LANG, LC_ALL, LC_MESSAGES, LANG") {
    std::map<std::string, std::string> variables;
    const Environment environment = [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    };
    CHECK(choose_language("", environment) == Language::en);
    variables["LANG"] = "zh_CN.UTF-8";
    CHECK(choose_language("", environment) == Language::zh);
    variables["LC_MESSAGES"] = "de_DE";
    CHECK(choose_language("", environment) == Language::en);
    variables["LC_ALL"] = "zh_TW";
    CHECK(choose_language("", environment) == Language::zh);
    variables["LC_ALL"] = "";  // an empty one does not count
    CHECK(choose_language("", environment) == Language::en);
    variables["MINIMIND_LANG"] = "zh";
    CHECK(choose_language("", environment) == Language::zh);
    CHECK(choose_language("en", environment) == Language::en);
    CHECK(thrown([] { choose_language("fr"); }) ==
          "error: unknown language 'fr'\n  --> --lang fr\n  note: known: en, zh\n");
}

TEST_CASE("a text that is missing in one language") {
    CHECK(text(Language::en, "yes", "是") == "yes");
    CHECK(text(Language::zh, "yes", "是") == "是");
    CHECK(text(Language::zh, "yes", "") == "yes");
    CHECK(text(Language::en, "", "是") == "是");
    CHECK(language_code(Language::zh) == "zh");
}

TEST_CASE("a table in its three forms") {
    Table table({{"name"}, {"count", Align::right}, {"note"}});
    table.add_row({"词表 embedding", "4,915,200", "tied"});
    table.add_row({"a|b", "7", "say \"hi\""});
    table.add_row({"x", "", ""});
    CHECK(table.text() ==
          "name                count  note\n"
          "词表 embedding  4,915,200  tied\n"
          "a|b                     7  say \"hi\"\n"
          "x\n");
    CHECK(table.markdown() ==
          "| name | count | note |\n"
          "| --- | ---: | --- |\n"
          "| 词表 embedding | 4,915,200 | tied |\n"
          "| a\\|b | 7 | say \"hi\" |\n"
          "| x |  |  |\n");
    CHECK(table.csv() ==
          "name,count,note\n"
          "词表 embedding,\"4,915,200\",tied\n"
          "a|b,7,\"say \"\"hi\"\"\"\n"
          "x,,\n");
    CHECK_THROWS_AS(table.add_row({"too few"}), std::logic_error);
}

TEST_CASE("numbers in tables") {
    CHECK(float_text(0.1f) == "0.1");
    CHECK(std::stof(float_text(1.0f / 3.0f)) == 1.0f / 3.0f);  // exact: it reads back as the same float
    CHECK(with_commas(0) == "0");
    CHECK(with_commas(999) == "999");
    CHECK(with_commas(1000) == "1,000");
    CHECK(with_commas(63912192) == "63,912,192");
    CHECK(with_commas(-123456) == "-123,456");
}

TEST_CASE("a command is shown as the user starts the program") {
    const Environment checkout = [](const char*) { return "labs/run"; };
    const Environment installed = [](const char*) { return nullptr; };
    const std::string text =
        "minimind labs\n  minimind trace\n`minimind` or `minimind lessons 9`, minimind3, of minimind x";
    CHECK(as_called(text, installed) == text);
    CHECK(as_called(text, checkout) ==
          "labs/run labs\n  labs/run trace\n`labs/run` or `labs/run lessons 9`, minimind3, of minimind x");
    CHECK(as_called("minimind", checkout) == "labs/run");
    CHECK(as_called("", checkout).empty());
}
