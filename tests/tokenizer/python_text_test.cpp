#include "tokenizer/python_text.hpp"
#include "support/json_of.hpp"

#include <cmath>
#include <limits>

#include "support.hpp"

using namespace minimind;
using namespace minimind::testing;

TEST_CASE("python_repr: quotes, escapes and what is not printable") {
    // Each expectation is what Python's repr() prints.
    CHECK(python_repr("") == "''");
    CHECK(python_repr("hello 你好 🦊") == "'hello 你好 🦊'");
    CHECK(python_repr("it's") == R"("it's")");
    CHECK(python_repr("say \"x\"") == R"('say "x"')");
    CHECK(python_repr("it's \"x\"") == R"('it\'s "x"')");
    CHECK(python_repr("a\\b\n\r\t") == R"('a\\b\n\r\t')");
    CHECK(python_repr(std::string("\0\x1b\x7f", 3)) == R"('\x00\x1b\x7f')");
    CHECK(python_repr("\u00a0\u00ad") == R"('\xa0\xad')");
    CHECK(python_repr("\u200b\u3000\ufeff\u2028") == R"('\u200b\u3000\ufeff\u2028')");
    CHECK(python_repr("\ue000\U000e0001\U0010ffff") == R"('\ue000\U000e0001\U0010ffff')");
    CHECK(python_repr("\xff") == "'\xEF\xBF\xBD'");
}

TEST_CASE("short_repr: cut at characters, not at bytes") {
    CHECK(short_repr("你好世界", 4) == "'你好世界'");
    CHECK(short_repr("你好世界!", 4) == "'你好世界'...");
    CHECK(short_repr(std::string(1000, 'a'), 3) == "'aaa'...");
}

TEST_CASE("python_float: as Python's repr") {
    CHECK(python_float(1.5) == "1.5");
    CHECK(python_float(100) == "100.0");
    CHECK(python_float(0.1) == "0.1");
    CHECK(python_float(-0.0) == "-0.0");
    CHECK(python_float(1e15) == "1000000000000000.0");
    CHECK(python_float(1e16) == "1e+16");
    CHECK(python_float(0.0001) == "0.0001");
    CHECK(python_float(0.00001) == "1e-05");
    CHECK(python_float(1.0 / 3.0) == "0.3333333333333333");
    CHECK(python_float(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(python_float(std::nan("")) == "nan");
}

TEST_CASE("python_json: separators, order, escapes") {
    const auto value =
        ordered_json_of(R"({"b": [1, 2.50, true, null, {}], "a": "\u00e9\n\u0001\u007f\"\\/", "c": [], "d": -3e2})");
    CHECK(python_json(value) ==
          "{\"b\": [1, 2.5, true, null, {}], \"a\": \"é\\n\\u0001\x7f\\\"\\\\/\", \"c\": [], \"d\": -300.0}");
}
