// Markdown for the terminal, on texts small enough to lay out by hand.
#include <doctest/doctest.h>

#include <sstream>

#include "console/cells.hpp"
#include "core/error.hpp"
#include "lessons/markdown.hpp"
#include "lessons/rendered.hpp"
#include "lessons/rendered_table.hpp"
#include "support/text.hpp"

using namespace minimind;

namespace {

std::string rendered(const std::string& markdown, std::size_t width = 40, Language language = Language::en) {
    Rendering rendering;
    rendering.width = width;
    rendering.language = language;
    return rendered_markdown(markdown, rendering);
}

std::string in_colour(const std::string& markdown) {
    Rendering rendering;
    rendering.paint = Paint(true);
    return rendered_markdown(markdown, rendering);
}

}  // namespace

TEST_CASE("headings are underlined, by cells, and lose their ids") {
    CHECK(rendered("# Title\n\ntext\n\n## A section {#a_b}\n\n### 中文 heading {#c}\n") ==
          "Title\n=====\n\ntext\n\n\nA section\n---------\n\n中文 heading\n~~~~~~~~~~~~\n");
}

TEST_CASE("English wraps at spaces, a line break in the text is a space") {
    CHECK(rendered("one two\nthree four five", 13) == "one two three\nfour five\n");
    CHECK(rendered("one  \ntwo") == "one\ntwo\n");
}

TEST_CASE("Chinese wraps between characters, and no line begins with a closing mark") {
    // Ten cells are five characters; the comma would be the sixth, so that the fifth goes with it.
    CHECK(rendered("一二三四五，六七", 10) == "一二三四\n五，六七\n");
    CHECK(rendered("残差流\n有三步，\nthen 归一化\nof x") == "残差流有三步，then 归一化 of x\n");
}

TEST_CASE("without colour marks show what is code, emphasis and strong; in colour the colour does") {
    CHECK(rendered("a `b` *c* **d `e`** f") == "a `b` _c_ *d `e`* f\n");
    CHECK(rendered("**a**\nb") == "*a* b\n");
    CHECK(in_colour("a `b`") == "a \x1b[36mb\x1b[0m\n");
    CHECK(in_colour("**d**") == "\x1b[1md\x1b[0m\n");
    CHECK(rendered("a &lt; b &amp; <|im_start|> &#x4e00; &nosuch;") == "a < b & <|im_start|> 一 &nosuch;\n");
}

TEST_CASE("every line of a coloured phrase sets the colour again") {
    Rendering rendering;
    rendering.width = 10;
    rendering.paint = Paint(true);
    CHECK(rendered_markdown("**one two three**", rendering) == "\x1b[1mone two\x1b[0m\n\x1b[1mthree\x1b[0m\n");
}

TEST_CASE("a link shows its address where that helps") {
    CHECK(rendered("[paper](https://a.org/b)") == "paper (https://a.org/b)\n");
    CHECK(rendered("<https://a.org/b>") == "https://a.org/b\n");
    CHECK(rendered("[next](10_causal_lm_loss.md)") == "next (minimind lessons 10)\n");
    CHECK(rendered("[the block](../../src/model/block.cpp)") == "the block (src/model/block.cpp)\n");
    CHECK(rendered("[src/model/block.cpp](../../src/model/block.cpp)") == "src/model/block.cpp\n");
    CHECK(rendered("[above](#code)") == "above\n");
    CHECK(rendered("见[下一课](10_causal_lm_loss.md)。", 80, Language::zh) == "见下一课（minimind lessons 10）。\n");
}

TEST_CASE("lists: nested, numbered, tight and loose") {
    CHECK(rendered("- a\n- b\n  - c\n\n    d\n") == "- a\n- b\n  - c\n\n    d\n");
    CHECK(rendered("- a\n\n- b\n  - c\n") == "- a\n\n- b\n\n  - c\n");
    CHECK(rendered("- a\n  - b\n    1. c\n- d\n") == "- a\n  - b\n    1. c\n- d\n");
    CHECK(rendered("9. a\n10. b\n") == "9.  a\n10. b\n");
    CHECK(rendered("- one two three four", 14) == "- one two\n  three four\n");
    CHECK(rendered("- \n") == "-\n");
}

TEST_CASE("a quote has a bar at every line") {
    CHECK(rendered("> one two\n> three\n>\n> - a\n", 11) == "| one two\n| three\n|\n| - a\n");
}

TEST_CASE("code stays as it is, and long lines go on in the next") {
    CHECK(rendered("```text\na  b\n\n  c *d*\n```\n") == "    a  b\n\n      c *d*\n");
    CHECK(rendered("```text\n  aaaa bbbb cccc\n```\n", 12) == "  aaaa bbbb\n  ↳ cccc\n");
    CHECK(rendered("```cpp\nf(a, b);  // what\n```\n", 14) == "f(a, b);\n↳ // what\n");
    CHECK(rendered("```cpp\n  f(a);      // what\n```\n", 16) == "  f(a);  // what\n");
    CHECK(rendered("```cpp\n  // one two three\n```\n", 14) == "  // one two\n  ↳ three\n");
    CHECK(rendered("```console\n$ run x --one 1 --two 2\n```\n", 18) == "$ run x --one 1\n↳ --two 2\n");
    CHECK(rendered("```text\na b  c d  e f\n```\n", 12) == "a b  c d\n↳ e f\n");
    const std::string console = "```console\n$ labs/run x\nout\n...\n```\n";
    CHECK(rendered(console) == "    $ labs/run x\n    out\n    ...\n");
    CHECK(in_colour(console) == "    \x1b[1m$ labs/run x\x1b[0m\n    out\n    \x1b[2m...\x1b[0m\n");
}

TEST_CASE("a table in Chinese lines up by cells") {
    const std::string table = "| 名称 | shape |\n|---|--:|\n| 嵌入 | [2, 6] |\n| q | [2] |\n";
    CHECK(rendered(table) == "名称   shape\n----  ------\n嵌入  [2, 6]\nq        [2]\n");
    CHECK(rendered("| a | b |\n|:-:|---|\n| one | x |\n| o | `y` |\n") == " a   b\n---  ---\none  x\n o   `y`\n");
    CHECK(rendered("| | |\n|---|---|\n| a | b |\n") == "a  b\n");  // a head without text
}

TEST_CASE("a table that is too wide wraps the cells of its widest column") {
    const std::string table = "| name | what |\n|---|---|\n| q | one two three |\n| 名 | 一二三四五六 |\n";
    CHECK(rendered(table, 15) ==
          "name  what\n----  ---------\nq     one two\n      three\n名    一二三四\n      五六\n");
    for (std::size_t width = 10; width < 40; ++width) {
        for (const std::string& line : lines_of(rendered(table, width))) {
            CAPTURE(line);
            CHECK(display_width(line) <= width);
        }
    }
}

TEST_CASE("columns give way from the widest, words last") {
    using Widths = std::vector<std::size_t>;
    CHECK(column_widths({3, 5}, {1, 1}, 10) == Widths{3, 5});
    CHECK(column_widths({3, 20}, {3, 6}, 13) == Widths{3, 10});
    CHECK(column_widths({20, 20}, {12, 4}, 20) == Widths{12, 8});
    CHECK(column_widths({20, 20}, {12, 12}, 20) == Widths{10, 10});
    CHECK(column_widths({5, 5}, {5, 5}, 1) == Widths{1, 1});
}

TEST_CASE("a link titled show is replaced by the function's source, with line numbers") {
    const std::string text =
        rendered("[rms_norm in src/model/rms_norm.cpp](../../src/model/rms_norm.cpp \"show: rms_norm\")", 120);
    const std::vector<std::string> lines = lines_of(text);
    CHECK(lines.front() == "rms_norm in src/model/rms_norm.cpp");
    CHECK(contains(text, "  arma::fmat rms_norm(const arma::fmat& x, const arma::fmat& weight, double eps) {\n"));
    CHECK(lines.back().substr(lines.back().size() - 3) == "  }");
    CHECK(contains(rendered("[x](../../src/model/block.hpp \"show: Block\")"), "x (src/model/block.hpp)"));
}

TEST_CASE("a link titled stage is replaced by the formula and the line of PyTorch") {
    const std::string text = rendered("[it](../../docs/hooks.md \"stage: resid_mid\")", 80);
    CHECK(contains(text,
                   "model.layers.{i}.resid_mid  [B, S, H]\n"
                   "    formula  x + attn(input_layernorm(x))\n"
                   "    PyTorch  x + self_attn\n"
                   "    source   src/model/block.cpp:"));
    CHECK(contains(rendered("[它](../../docs/hooks.md \"stage: resid_mid\")", 80, Language::zh),
                   "    公式     x + attn"));
}

TEST_CASE("show and stage are replaced only where the link is the whole paragraph, and must name something") {
    CHECK(rendered("see [f](../../src/model/rms_norm.cpp \"show: rms_norm\")", 80) ==
          "see f (src/model/rms_norm.cpp)\n");
    CHECK(rendered("[f](../../src/model/rms_norm.cpp \"a title\")", 80) == "f (src/model/rms_norm.cpp)\n");
    CHECK_THROWS_AS(rendered("[f](../../src/model/rms_norm.cpp \"show: rms_nrom\")"), Error);
    CHECK_THROWS_AS(rendered("[f](../../src/model/no_such.cpp \"show: rms_norm\")"), Error);
    CHECK_THROWS_AS(rendered("[f](../../docs/hooks.md \"stage: resid_middle\")"), Error);
    CHECK_THROWS_AS(rendered("[f](../../docs/hooks.md \"stage: resid_*\")"), Error);
}

TEST_CASE("odd input ends in text or in an error, never in a crash") {
    CHECK(rendered("") == "");
    CHECK(rendered("\n\n") == "");
    CHECK_THROWS_AS(rendered(std::string(5000, '>') + " x"), Error);
    CHECK(contains(rendered("a\xff b"), "b"));
    CHECK(contains(rendered("| a |\n|---|\n| b | c |\n\n", 1), "b"));
    CHECK(contains(rendered("&#9999999; &#x110000;"), "\uFFFD"));
    CHECK(rendered("*a [b **c") == "*a [b **c\n");
    for (const std::size_t width : {0U, 1U, 2U, 3U}) CHECK(!rendered("一 `two` three\n\n- x\n", width).empty());
}
