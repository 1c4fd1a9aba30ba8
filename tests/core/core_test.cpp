#include <doctest/doctest.h>

#include "core/error.hpp"
#include "core/shape.hpp"
#include "core/text.hpp"
#include "support/printed_numbers.hpp"

using namespace minimind;

TEST_CASE("shapes print as Python prints tuples and lists") {
    CHECK(shape_text({2, 6, 64}) == "(2, 6, 64)");
    CHECK(shape_text({64}) == "(64,)");
    CHECK(shape_text({}) == "()");
    CHECK(list_text({2, 6}) == "[2, 6]");
    CHECK(element_count({2, 6, 64}) == 768);
    CHECK(element_count({}) == 1);
    CHECK(element_count({3, 0}) == 0);
}

TEST_CASE("numbers as text") {
    CHECK(with_commas(0) == "0");
    CHECK(with_commas(999) == "999");
    CHECK(with_commas(1000) == "1,000");
    CHECK(with_commas(-123456) == "-123,456");
    CHECK(with_commas(63912192) == "63,912,192");
    CHECK(in_millions(532864) == "0.533M");
    CHECK(python_bool(true) == "True");
    CHECK(python_bool(false) == "False");
}

TEST_CASE("an error carries where, why and how to fix it") {
    try {
        throw Error("8 query heads cannot share 3 key/value heads")
            .at("--num_key_value_heads 3")
            .note("why")
            .help("how");
    } catch (const Error& error) {
        CHECK(std::string(error.what()) == "8 query heads cannot share 3 key/value heads");
        CHECK(error.where() == "--num_key_value_heads 3");
        CHECK(error.notes() == std::vector<std::string>{"why"});
        CHECK(error.helps() == std::vector<std::string>{"how"});
        CHECK(error.exit_code() == 2);
    }
    CHECK(Error("lost").exit_code(1).exit_code() == 1);
}

TEST_CASE("the nearest name forgives a third of the letters") {
    const std::vector<std::string> known = {"--hidden_size", "--head_dim", "--vocab_size"};
    CHECK(nearest_name("--hiden_size", known) == "--hidden_size");
    CHECK(nearest_name("--hidden-size", known) == "--hidden_size");
    CHECK(nearest_name("--HEAD_DIM", known) == "--head_dim");
    CHECK(nearest_name("--learning_rate", known) == "");
    CHECK(nearest_name("", known) == "");
}

TEST_CASE("lines that differ in rounding are equal, others are not") {
    CHECK(equal_but_for_rounding("a=0.998722 b=1.5e-06", "a=0.998723 b=1.5e-06"));
    CHECK(!equal_but_for_rounding("a=0.998722", "a=0.998724"));
    CHECK(!equal_but_for_rounding("a=0.998722", "b=0.998722"));
    CHECK(!equal_but_for_rounding("shape=(2, 6)", "shape=(2, 7)"));  // whole numbers are exact
    CHECK(equal_but_for_rounding("123456.7891", "123456.8300"));     // 4.8e-7 of the value
    CHECK(!equal_but_for_rounding("123456.7891", "123456.9000"));
    CHECK(equal_but_for_rounding("-0.0000", "0.0001"));
    CHECK(!equal_but_for_rounding("1.2.", "1.2"));
    CHECK(equal_but_for_rounding("exp    0.1729024  the sum",
                                 "exp   0.17290237  the sum"));  // a digit more, a space less
    CHECK(!equal_but_for_rounding("exp    0.1729024  the sum", "exp    0.1729024  thesum"));
}
