// Python's slices. The expected values are NumPy's, of numpy.arange(24).reshape(2, 3, 4).
#include "stepper/slice.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "core/error.hpp"

using namespace minimind;

namespace {

class Counting {
  public:
    Counting() : values_(24) { std::iota(values_.begin(), values_.end(), 0.0F); }
    TensorView view() const { return {values_.data(), Shape{2, 3, 4}}; }

  private:
    std::vector<float> values_;
};

struct Sliced {
    Shape shape;
    std::vector<double> values;
};

Sliced sliced(const std::string& text) {
    static const Counting counting;
    const Selection selection = select(parse_slice(text), counting.view().shape(), text);
    return {selection.shape(), selected_values(counting.view(), selection)};
}

std::string message_of(const std::string& text) {
    try {
        sliced(text);
    } catch (const Error& error) {
        return std::string(error.what()) + " | " + (error.helps().empty() ? "" : error.helps().front());
    }
    return "no error";
}

}  // namespace

TEST_CASE("indices, ranges and steps select what NumPy selects") {
    struct Case {
        const char* text;
        Shape shape;
        std::vector<double> values;
    };
    const std::vector<Case> cases = {
        {"[1,2,3]", {}, {23}},
        {"[-1,-1,-1]", {}, {23}},
        {"[0,1]", {4}, {4, 5, 6, 7}},
        {"[0, 1, :]", {4}, {4, 5, 6, 7}},
        {"[:,0,0]", {2}, {0, 12}},
        {"[1,:,-1:]", {3, 1}, {15, 19, 23}},
        {"[0,::2]", {2, 4}, {0, 1, 2, 3, 8, 9, 10, 11}},
        {"[0,0,::-1]", {4}, {3, 2, 1, 0}},
        {"[0,0,2:0:-1]", {2}, {2, 1}},
        {"[0,0,-3:-1]", {2}, {1, 2}},
        {"[0,0,1:99]", {3}, {1, 2, 3}},  // a range is cut to the axis
        {"[0,0,-99:2]", {2}, {0, 1}},
        {"[0,0,3:1]", {0}, {}},
        {"[...,0]", {2, 3}, {0, 4, 8, 12, 16, 20}},
        {"[1,...,1]", {3}, {13, 17, 21}},
        {"[1,]", {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
        {"1,2,0", {}, {20}},  // without brackets
        {"[0,2:3,1:2]", {1, 1}, {9}},
    };
    for (const Case& one : cases) {
        CAPTURE(one.text);
        const Sliced result = sliced(one.text);
        CHECK(result.shape == one.shape);
        CHECK(result.values == one.values);
    }
    CHECK(sliced("").shape == Shape{2, 3, 4});
    CHECK(sliced("[]").values.size() == 24);
}

TEST_CASE("the index of a selected value leads back to it") {
    const Counting counting;
    const Selection selection = select(parse_slice("[::-1,1:,::3]"), {2, 3, 4}, "");
    const std::vector<double> values = selected_values(counting.view(), selection);
    REQUIRE(selection.count() == std::ssize(values));
    for (std::int64_t n = 0; n < selection.count(); ++n) {
        const std::int64_t offset = counting.view().offset(index_of(selection, n).data());
        CHECK(static_cast<double>(counting.view().f32()[offset]) == values[static_cast<std::size_t>(n)]);
    }
}

TEST_CASE("repeated heads are sliced as they are shown") {
    // [2 heads of 2] each twice in a row: 0 1, 0 1, 2 3, 2 3
    const std::vector<float> bytes = {0, 1, 2, 3};
    const TensorView repeated(bytes.data(), {{4, 2, 2}, {2, 1, 1}});
    const Selection selection = select(parse_slice("[1:]"), repeated.shape(), "");
    CHECK(selected_values(repeated, selection) == std::vector<double>{0, 1, 2, 3, 2, 3});
}

TEST_CASE("what is no slice says what would have worked") {
    CHECK(message_of("[2]") == "index 2 is not on axis 0, which has 2 positions | use 0 to 1, or -2 to -1");
    CHECK(message_of("[0,0,0,0]") == "4 indices for a tensor with 3 axes | give at most 3");
    for (const char* wrong : {"[", "]", "[1", "1]", "[a]", "[1,,2]", "[1.5]", "[::0]", "[1:2:3:4]", "[..., ...]",
                              "[[1]]", "[99999999999999999999]", "[-]", "[+1]", "[0x1]"}) {
        CAPTURE(wrong);
        CHECK(message_of(wrong) != "no error");
    }
    CHECK(slice_text(parse_slice("[0,1,:,-1:]")) == "[0, 1, :, -1:]");
    CHECK(slice_text(parse_slice("[::2, ..., 1:2]")) == "[::2, ..., 1:2]");
}
