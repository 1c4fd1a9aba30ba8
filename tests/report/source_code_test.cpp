#include "report/source_code.hpp"

#include <doctest/doctest.h>

#include "core/error.hpp"

using namespace minimind;

namespace {

const std::string example = R"(#include "a.hpp"

namespace minimind {

namespace {

/// Twice x.
/// As a sum.
int twice(int x) {
    return x + x;
}

constexpr int limit = 3;

}  // namespace

int half(int x);

int half(int x) { return x / 2; }

template <typename T>
T Box::value(const T& other,
             int half) const {
    if (other > half) {
        return other;
    }
    return twice(other);  // not the function twice(
}

struct Box {
    /// How many.
    int count() const { return count_; }
    int sum() const {
        return 1;
    }

    int count_ = 0;
};

}  // namespace minimind
)";

SourceCode in_example(const std::string& name) {
    return function_in(example, "example.cpp", name);
}

}  // namespace

TEST_CASE("a function is found by its name, with its comment and to its closing brace") {
    const SourceCode twice = in_example("twice");
    CHECK(twice.file == "example.cpp");
    CHECK(twice.first_line == 7);
    const std::vector<std::string> lines = {"/// Twice x.", "/// As a sum.", "int twice(int x) {", "    return x + x;",
                                            "}"};
    CHECK(twice.lines == lines);
}

TEST_CASE("a definition goes before a declaration, also where it is one line") {
    CHECK(in_example("half").first_line == 19);
    CHECK(in_example("half").lines == std::vector<std::string>{"int half(int x) { return x / 2; }"});
}

TEST_CASE("a member function is found by its full name or its last part, template line included") {
    for (const char* name : {"Box::value", "value"}) {
        const SourceCode value = in_example(name);
        CHECK(value.first_line == 21);
        CHECK(value.lines.size() == 8);
        CHECK(value.lines.back() == "}");
    }
    CHECK(in_example("Box::count").lines.size() == 2);
    CHECK(in_example("sum").lines.back() == "    }");
    CHECK(in_example("Box").lines.front() == "struct Box {");
    CHECK(in_example("Box").lines.back() == "};");
}

TEST_CASE("an unknown function is an error with the nearest name") {
    try {
        in_example("twise");
        FAIL("it was found");
    } catch (const Error& error) {
        CHECK(std::string(error.what()) == "there is no function called 'twise' in example.cpp");
        REQUIRE(error.helps().size() == 1);
        CHECK(error.helps()[0] == "did you mean twice?");
    }
    CHECK_THROWS_AS(in_example("limit"), Error);
    CHECK_THROWS_AS(in_example(""), Error);
    CHECK_THROWS_AS(function_in("", "empty.cpp", "f"), Error);
    CHECK_THROWS_AS(function_in("int f(", "cut_off.cpp", "g"), Error);
    CHECK(function_in("int f(int x) {\n    return", "cut_off.cpp", "f").lines.size() == 2);
}

TEST_CASE("the model's own source is there") {
    const SourceCode block = function_source("src/model/block.cpp", "Block::forward");
    CHECK(block.lines.front().rfind("Block::Output Block::forward(", 0) == 0);
    CHECK(block.lines.back() == "}");
    const SourceCode start = source_lines("src/model/block.cpp", 1, 1);
    CHECK(start.lines == std::vector<std::string>{"#include \"model/block.hpp\""});
    CHECK(source_lines("src/model/block.cpp", block.first_line, 100'000).lines.front() == block.lines.front());
    CHECK_THROWS_AS(source_lines("src/model/block.cpp", 0, 3), Error);
    CHECK_THROWS_AS(source_lines("src/model/block.cpp", 100'000, 100'001), Error);
    CHECK_THROWS_AS(source_lines("src/model/no_such_file.cpp", 1, 2), Error);
}
