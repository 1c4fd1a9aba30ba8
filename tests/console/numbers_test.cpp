#include "console/numbers.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "thrown.hpp"

using namespace minimind;

TEST_CASE("whole numbers are plain decimal") {
    CHECK(read_integer("0") == 0);
    CHECK(read_integer("-0") == 0);
    CHECK(read_integer("42") == 42);
    CHECK(read_integer("-100") == -100);
    CHECK(read_integer("9223372036854775807") == 9223372036854775807);
    CHECK(read_integer("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
    for (const char* text : {"",    "012", "-012", "00",  "+5",  " 5",  "5 ", "1_000", "1,000", "0x10",
                             "1e3", "1.0", "nan",  "inf", "-",   "--5", "5a", "a",     "１２",  "\n5",
                             "5\n", "1 2", ".5",   "1e",  "0b1", "١",   "−5", "1e400", "true",  "None"}) {
        CAPTURE(text);
        CHECK(thrown([&] { read_integer(text); }) != "");
    }
}

TEST_CASE("what was probably meant is offered") {
    CHECK(thrown([] { read_integer("012"); }) ==
          "error: \"012\" is not a whole number\n"
          "  note: a whole number is written in decimal digits, without leading zeros\n"
          "  help: write 12\n");
    CHECK(contains(thrown([] { read_integer("1_000"); }), "help: write 1000\n"));
    CHECK(contains(thrown([] { read_integer("+5"); }), "help: write 5\n"));
    CHECK(thrown([] { read_integer("abc"); }) ==
          "error: \"abc\" is not a whole number\n"
          "  note: a whole number is written in decimal digits, without leading zeros\n");
    CHECK(contains(thrown([] { read_integer(""); }), "error: an empty text is no number\n"));
}

TEST_CASE("a whole number outside its range: the range is said") {
    CHECK(thrown([] { read_integer("0", {1, 128}); }) == "error: 0 is too small\n  note: allowed: 1 to 128\n");
    CHECK(thrown([] { read_integer("129", {1, 128}); }) == "error: 129 is too large\n  note: allowed: 1 to 128\n");
    CHECK(thrown([] { read_integer("-1", at_least(0)); }) == "error: -1 is too small\n  note: allowed: at least 0\n");
    CHECK(contains(thrown([] { read_integer("99999999999999999999", {1, 128}); }), "allowed: 1 to 128"));
    CHECK(contains(thrown([] { read_integer("-99999999999999999999", {1, 128}); }), "is too small"));
}

TEST_CASE("real numbers are decimal and finite") {
    // Exact: the nearest double of a decimal text is one value.
    CHECK(read_real("1") == 1.0);
    CHECK(read_real("0.85") == 0.85);
    CHECK(read_real(".5") == 0.5);
    CHECK(read_real("5.") == 5.0);
    CHECK(read_real("-2.5") == -2.5);
    CHECK(read_real("1e6") == 1e6);
    CHECK(read_real("1E-6") == 1e-6);
    CHECK(read_real("1e+06") == 1e6);
    for (const char* text :
         {"",   "nan", "NaN", "inf", "-inf", "infinity", "1e400", "-1e400", "0x1p3", "1,5",  "+1", " 1",
          "1 ", ".",   "-",   "e5",  "1e",   "1e+",      "012",   "1_0",    "1.2.3", "0,85", "1f"}) {
        CAPTURE(text);
        CHECK(thrown([&] { read_real(text); }) != "");
    }
    CHECK(contains(thrown([] { read_real("1e400"); }), "1e400 does not fit in a double"));
    CHECK(contains(thrown([] { read_real("1.5", {0.0, 1.0}); }), "allowed: 0 to 1\n"));
}

TEST_CASE("a seed is any number that torch.manual_seed takes") {
    CHECK(read_seed("42") == 42);
    CHECK(read_seed("18446744073709551615") == 18446744073709551615u);
    CHECK(read_seed("-1") == 18446744073709551615u);  // seed + 2^64
    CHECK(read_seed("-9223372036854775808") == 9223372036854775808u);
    for (const char* text : {"18446744073709551616", "-9223372036854775809", "1.0", "", "0x10", "007", "nan"}) {
        CAPTURE(text);
        CHECK(thrown([&] { read_seed(text); }) != "");
    }
}

TEST_CASE("0 or 1") {
    CHECK(read_zero_one("1"));
    CHECK_FALSE(read_zero_one("0"));
    for (const char* text : {"", "2", "-1", "01", "yes", "00"}) {
        CAPTURE(text);
        CHECK(thrown([&] { read_zero_one(text); }) != "");
    }
    CHECK(thrown([] { read_zero_one("true"); }) == "error: \"true\" is neither 0 nor 1\n  help: write 1\n");
}
