// compare_activations. Values and slopes are those of PyTorch 2.13 in float64: F.silu, F.gelu, F.gelu(approximate='tanh')
// and F.relu, their slopes from autograd; extremes from a grid of 1.2 million points on [-6, 6].
#include <cmath>

#include "lab_json.hpp"

using namespace minimind;
using nlohmann::json;

namespace {

struct Expected {
    const char* activation;
    double x, value, slope;
};

constexpr Expected pytorch[] = {
    {"silu", -5.0, -0.0334642546, -0.0265474324},
    {"silu", -1.0, -0.2689414214, 0.0723294881},
    {"silu", 0.0, 0.0, 0.5},
    {"silu", 0.5, 0.3112296656, 0.7399611873},
    {"silu", 3.0, 2.8577223805, 1.0881041060},
    {"gelu", -5.0, -0.0000014333, -0.0000071469},
    {"gelu", -2.0, -0.0455002639, -0.0852318011},
    {"gelu", 0.5, 0.3457312306, 0.8674951247},
    {"gelu_new", -5.0, -0.0000002292, -0.0000015464},
    {"gelu_new", -2.0, -0.0454023059, -0.0860992566},
    {"gelu_new", 0.5, 0.3457140098, 0.8673699035},
    {"relu", -5.0, 0.0, 0.0},
    {"relu", 0.0, 0.0, 0.0},
    {"relu", 0.5, 0.5, 1.0},
};

}  // namespace

TEST_CASE("compare_activations: values and slopes are PyTorch's") {
    const json section = section_of(run_lab({"compare_activations", "--points", "21"}), "Values and Slopes");
    CHECK(section.at("rows").size() == 21);
    for (const Expected& expected : pytorch) {
        CAPTURE(expected.activation);
        CAPTURE(expected.x);
        const json row = row_of(section, "x", expected.x).at(expected.activation);
        CHECK(std::abs(number(row, "value") - expected.value) < 1e-10);  // both in double, printed to ten digits
        CHECK(std::abs(number(row, "slope") - expected.slope) < 1e-10);
    }
}

TEST_CASE("compare_activations: the valley of silu and the range of its slope") {
    const json section = section_of(run_lab({"compare_activations", "--act", "silu,gelu,relu"}), "Extremes");
    const json silu = row_of(section, "activation", "silu");
    CHECK(std::abs(number(silu, "least_value") - -0.278465) < 1e-6);
    CHECK(std::abs(number(silu, "least_value_at") - -1.278465) < 1e-6);
    CHECK(std::abs(number(silu, "least_slope") - -0.099839) < 1e-6);
    CHECK(std::abs(number(silu, "least_slope_at") - -2.399357) < 1e-6);
    CHECK(std::abs(number(silu, "largest_slope") - 1.099839) < 1e-6);
    CHECK(std::abs(number(silu, "largest_slope_at") - 2.399357) < 1e-6);
    // By hand: gelu's slope P + x p has the derivative (2 - x^2) p, which is 0 at the square roots of 2.
    const json gelu = row_of(section, "activation", "gelu");
    CHECK(std::abs(number(gelu, "least_value") - -0.169971) < 1e-6);
    CHECK(std::abs(number(gelu, "largest_slope_at") - std::sqrt(2.0)) < 1e-6);
    CHECK(std::abs(number(gelu, "least_slope_at") + std::sqrt(2.0)) < 1e-6);
    const json relu = row_of(section, "activation", "relu");
    CHECK(number(relu, "least_value") == 0.0);
    CHECK(relu.at("least_value_at").is_null());  // at every x <= 0
}

TEST_CASE("compare_activations: the engine agrees with the formulas") {
    const json lab = run_lab({"compare_activations", "--points", "101", "--from", "-9.9", "--to", "10"});
    for (const json& row : section_of(lab, "Formula against Engine").at("rows")) {
        CAPTURE(row.dump());
        CHECK(number(row, "value_max_abs_diff") < 2e-6);  // float32: some units of 4.8e-7 at values up to 10
        CHECK(number(row, "slope_max_abs_diff") < 1e-8);  // no point is relu's kink
    }
}

TEST_CASE("compare_activations: the picture has its curves, and fits 80 columns") {
    const std::string out = run_program({"compare_activations", "--act", "relu", "--from", "-1", "--to", "1"}).out;
    const std::string curve = out.substr(out.find("[Curves]"), out.find("[Curves of") - out.find("[Curves]"));
    // 68 columns of which 34 have x < 0 lie on the zero line; the last column is at the top.
    CHECK(curve.find("    0.00 |rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr") != std::string::npos);
    const std::string top =
        curve.substr(curve.find("    1.00 |"), curve.find('\n', curve.find("    1.00 |")) - curve.find("    1.00 |"));
    CHECK(top.size() == 10 + 68);
    CHECK(top.back() == 'r');
    std::size_t begin = 0;
    const std::string all = run_program({"compare_activations", "--explain"}).out;
    for (std::size_t end = all.find('\n'); end != std::string::npos; end = all.find('\n', begin)) {
        const std::string line = all.substr(begin, end - begin);
        if (line.rfind("  \xC2\xBB", 0) != 0) CHECK_MESSAGE(line.size() <= 80, line);
        begin = end + 1;
    }
}

TEST_CASE("compare_activations: explained in both languages; what is wrong is refused") {
    check_explained({"compare_activations"});
    check_refused({"compare_activations", "--act", "swish"}, "did you mean 'silu'?");
    check_refused({"compare_activations", "--act", "silu,"}, "unknown activation ''");
    check_refused({"compare_activations", "--from", "2", "--to", "2"}, "--from must be less than --to");
    check_refused({"compare_activations", "--points", "1"}, "allowed: 2 to 10000");
    check_refused({"compare_activations", "--to", "1e9"}, "--to 1e9");
    check_refused({"compare_activations", "--hidden_size", "64"}, "--hidden_size");
}
