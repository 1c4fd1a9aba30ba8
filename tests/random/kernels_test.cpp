#include "random/kernels.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace kernels = minimind::kernels;

namespace {

std::vector<float> uniform_values(std::size_t count) {
    std::mt19937 engine(1);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(engine() & 0xffffffU) * 0x1p-24F;
    return values;
}

}  // namespace

TEST_CASE("Box-Muller by hand") {
    std::array<float, 16> x{};  // u1 = 1: radius 0
    kernels::box_muller(x.data(), 1, 3.0F, 2.0F);
    for (const float value : x) CHECK(value == 3.0F);

    // ln u1 = -1/2 makes the radius 1; u2 in eighths of a turn. 1.0f - x rounds u1 to 6e-8, and the angle, up to 6.3, is
    // rounded to 2.4e-7.
    const float root_half = 0.70710678F;
    const std::array<float, 8> cosine = {1, root_half, 0, -root_half, -1, -root_half, 0, root_half};
    const std::array<float, 8> sine = {0, root_half, 1, root_half, 0, -root_half, -1, -root_half};
    for (std::size_t j = 0; j < 8; ++j) {
        x[j] = 0.39346934F;  // 1 - e^(-1/2)
        x[j + 8] = static_cast<float>(j) / 8.0F;
    }
    kernels::box_muller(x.data(), 1, 0.0F, 1.0F);
    for (std::size_t j = 0; j < 8; ++j) {
        CHECK(std::abs(x[j] - cosine[j]) < 5e-7F);
        CHECK(std::abs(x[j + 8] - sine[j]) < 5e-7F);
    }
}

TEST_CASE("Box-Muller at the ends of the range is finite") {
    std::array<float, 16> x{};
    for (std::size_t j = 0; j < 8; ++j) {
        x[j] = 1.0F - 0x1p-24F;  // the largest uniform number: u1 = 2^-24
        x[j + 8] = j % 2 == 0 ? 0.0F : 1.0F - 0x1p-24F;
    }
    kernels::box_muller(x.data(), 1, 0.0F, 1.0F);
    const double largest = std::sqrt(2.0 * 24.0 * std::numbers::ln2);  // 5.768
    for (std::size_t j = 0; j < 8; ++j) {
        CHECK(x[j] == doctest::Approx(largest).epsilon(1e-6));
        CHECK(std::abs(x[j + 8]) < 1e-5F);
    }
}

TEST_CASE("Box-Muller against the C library in double") {
    std::vector<float> x = uniform_values(160'000);
    const std::vector<float> u = x;
    kernels::box_muller(x.data(), x.size() / 16, 0.0F, 1.0F);
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size(); i += i % 16 == 7 ? 9 : 1) {
        const double radius = std::sqrt(-2.0 * std::log(static_cast<double>(1.0F - u[i])));
        const double angle = static_cast<double>(static_cast<float>(2.0 * std::numbers::pi) * u[i + 8]);
        worst = std::max(worst, std::abs(static_cast<double>(x[i]) - radius * std::cos(angle)));
        worst = std::max(worst, std::abs(static_cast<double>(x[i + 8]) - radius * std::sin(angle)));
    }
    // Four units in the last place of values around 2 to 4; the angle is the one that was rounded to float.
    CHECK(worst < 1e-6);
    CHECK(worst > 0.0);
}

TEST_CASE("the version for every processor gives the same bits") {
    std::array<std::uint32_t, kernels::twister_words> state{};
    std::mt19937 engine(7);
    for (std::uint32_t& word : state) word = static_cast<std::uint32_t>(engine());
    auto plain_state = state;
    kernels::twist(state.data());
    kernels::plain::twist(plain_state.data());
    CHECK(state == plain_state);

    for (std::size_t count = 0; count < 40; ++count) {
        std::array<float, 40> values{};
        auto plain_values = values;
        kernels::unit_floats(state.data(), values.data(), count);
        kernels::plain::unit_floats(state.data(), plain_values.data(), count);
        CHECK(values == plain_values);
    }

    std::vector<float> x = uniform_values(160'000);
    std::vector<float> plain_x = x;
    kernels::box_muller(x.data(), x.size() / 16, 0.25F, 0.02F);
    kernels::plain::box_muller(plain_x.data(), plain_x.size() / 16, 0.25F, 0.02F);
    CHECK(x == plain_x);
}
