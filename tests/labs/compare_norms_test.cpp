// compare_norms. The expected numbers are PyTorch 2.13's: the model's table from torch.manual_seed(42), the norms as
//   x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)   and   F.layer_norm(x, (64,), eps=1e-6)
// in float32, and the first in bfloat16 and float16, too.
#include "../../labs/compare_norms/low_precision.hpp"

#include <cmath>
#include <limits>

#include "lab_json.hpp"

using namespace minimind;
using nlohmann::json;

namespace {}  // namespace

TEST_CASE("compare_norms: one row, value by value") {
    const json lab = run_lab({"compare_norms", "--values", "64"});
    const json rows = section_of(lab, "One Row").at("rows");
    REQUIRE(rows.size() == 64);
    const double x[] = {0.00097878615, -0.03243589029, 0.00981914531};
    const double rms_norm[] = {0.04587005451, -1.52008283138, 0.46016663313};
    const double layer_norm[] = {-0.01760469005, -1.58671808243, 0.39752802253};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(std::abs(number(rows[i], "x") - x[i]) < 1e-8);
        CHECK(std::abs(number(rows[i], "rms_norm") - rms_norm[i]) < 1e-6);  // float32 sums in another order
        CHECK(std::abs(number(rows[i], "layer_norm") - layer_norm[i]) < 1e-6);
    }
    const json moments = section_of(lab, "Before and After");
    const json before = row_of(moments, "vector", "x");
    const json rms = row_of(moments, "vector", "RMSNorm");
    const json layer = row_of(moments, "vector", "LayerNorm");
    CHECK(number(rms, "mean") == doctest::Approx(0.0634393).epsilon(1e-5));
    CHECK(std::abs(number(layer, "mean")) < 1e-7);
    CHECK(number(layer, "variance") == doctest::Approx(0.9977948).epsilon(1e-6));
    // By hand: RMSNorm divides mean and RMS by the same root; r / sqrt(r^2 + 1e-6) comes out.
    const double r = number(before, "rms");
    CHECK(number(rms, "mean") == doctest::Approx(number(before, "mean") / std::sqrt(r * r + 1e-6)).epsilon(1e-6));
    CHECK(number(rms, "rms") == doctest::Approx(r / std::sqrt(r * r + 1e-6)).epsilon(1e-6));
}

TEST_CASE("compare_norms: they agree on fresh rows, and differ by 3 and more with an offset") {
    const json section = section_of(run_lab({"compare_norms", "--offset", "-2"}), "Offset");
    CHECK(section.at("values").at("1/H") == 0.015625);
    const json fresh = row_of(section, "offset", 0.0);
    CHECK(number(fresh, "mean_square_share") == doctest::Approx(0.012944).epsilon(1e-4));  // about 1/H
    CHECK(number(fresh, "max_abs_diff") == doctest::Approx(0.228560).epsilon(1e-4));
    const json moved = row_of(section, "offset", 1.0);
    CHECK(number(moved, "mean_square_share") == doctest::Approx(0.999608).epsilon(1e-5));
    CHECK(number(moved, "max_abs_diff") == doctest::Approx(4.460782).epsilon(1e-4));
    CHECK(number(moved, "mean_abs_diff") == doctest::Approx(1.140249).epsilon(1e-4));
    CHECK(section.at("rows").size() == 5);  // the own offset, too
}

TEST_CASE("compare_norms: what eps takes away") {
    const json section = section_of(run_lab({"compare_norms", "--rms_norm_eps", "1e-3"}), "Where eps Counts");
    for (const json& row : section.at("rows")) {
        const double r = number(row, "input_rms");
        for (const auto& [eps, output] : row.at("output_rms").items()) {
            CHECK(output.get<double>() == doctest::Approx(r / std::sqrt(r * r + std::stod(eps))).epsilon(1e-6));
        }
    }
    const json at_fresh = section.at("rows")[3].at("output_rms");  // r = 0.02
    CHECK(std::abs(number(at_fresh, "1e-06") - 0.9988) < 5e-5);
    CHECK(std::abs(number(at_fresh, "1e-05") - 0.9877) < 5e-5);
    CHECK(at_fresh.contains("0.001"));
}

TEST_CASE("compare_norms: bf16 and fp16 as PyTorch computes in them") {
    // torch.manual_seed(seed); x = torch.randn(16, H)
    const auto check = [](const json& lab, const char* arithmetic, double max_error, double output_rms) {
        CAPTURE(arithmetic);
        const json row = row_of(section_of(lab, "Half Precision"), "arithmetic", arithmetic);
        // A value of x that is one unit in the last place off may round the other way: 1e-3 of the error.
        CHECK(number(row, "max_error") == doctest::Approx(max_error).epsilon(1e-3));
        CHECK(std::abs(number(row, "output_rms") - output_rms) < 2e-5);
        return row;
    };
    const json tiny = run_lab({"compare_norms"});
    CHECK(check(tiny, "fp16", 0.0020819, 0.0).at("square_of_300").is_null());  // infinity
    CHECK(check(tiny, "fp16, cast up", 0.0009722, 1.000004).at("square_of_300") == 90000.0);
    CHECK(check(tiny, "bf16", 0.0196034, 1.000204).at("square_of_300") == 90112.0);
    check(tiny, "bf16, cast up", 0.0074905, 1.000056);
    const json wide = run_lab({"compare_norms", "--hidden_size", "768", "--seed", "1234"});
    check(wide, "bf16", 0.0215163, 1.001105);
    check(wide, "bf16, cast up", 0.0077708, 1.0);
}

TEST_CASE("rounding to bf16 and fp16") {
    // x.bfloat16().float() and x.half().float() of PyTorch. The values around 1 and 65520 are ties or next to one.
    struct Rounded {
        float x, bf16, fp16;
    };
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const Rounded all[] = {{1.0F, 1.0F, 1.0F},
                           {1.00390625F, 1.0F, 1.00390625F},
                           {1.01171875F, 1.015625F, 1.01171875F},
                           {90000.0F, 90112.0F, infinity},
                           {0.02F, 0.02001953125F, 0.0200042724609375F},
                           {1e-6F, 9.9837779998779297e-07F, 1.0132789611816406e-06F},
                           {2.9802322387695312e-08F, 2.9802322387695312e-08F, 0.0F},
                           {8.9406967163085938e-08F, 8.9406967163085938e-08F, 1.1920928955078125e-07F},
                           {65519.0F, 65536.0F, 65504.0F},
                           {65520.0F, 65536.0F, infinity},
                           {3.3895313892515355e+38F, 3.3895313892515355e+38F, infinity},
                           {3.4e38F, infinity, infinity},
                           {-0.1F, -0.10009765625F, -0.0999755859375F},
                           {1e-40F, 9.1835496157991212e-41F, 0.0F}};
    for (const Rounded& expected : all) {
        CAPTURE(expected.x);
        CHECK(rounded(expected.x, bf16_format()) == expected.bf16);
        CHECK(rounded(expected.x, fp16_format()) == expected.fp16);
        CHECK(rounded(expected.x, fp32_format()) == expected.x);
        CHECK(rounded(-expected.x, fp16_format()) == -expected.fp16);
    }
    CHECK(std::isnan(rounded(std::nanf(""), bf16_format())));
}

TEST_CASE("every fp16 number stays as it is, and half a step between two goes to the even one") {
    for (int bits = 0; bits < 0x7BFF; ++bits) {  // all that are finite and not negative, as exponent and fraction
        const auto value = [](int b) {
            const int exponent = b >> 10;
            const int fraction = b & 0x3FF;
            return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
        };
        const double here = value(bits);
        const double next = value(bits + 1);
        const auto x = static_cast<float>(here);
        if (rounded(x, fp16_format()) != x) FAIL("bits " << bits);
        const float tie = rounded(static_cast<float>(0.5 * (here + next)), fp16_format());
        if (tie != static_cast<float>(bits % 2 == 0 ? here : next)) FAIL("after bits " << bits);
    }
}

TEST_CASE("compare_norms: explained in both languages; what is wrong is refused") {
    check_explained({"compare_norms", "--layer", "1", "--text", "你好"});
    check_refused({"compare_norms", "--layer", "2"}, "use 0 to 1");
    check_refused({"compare_norms", "--offset", "nan"}, "--offset nan");
    check_refused({"compare_norms", "--values", "0"}, "at least 1");
    check_refused({"compare_norms", "--input_ids", "6400"}, "6400");
}
