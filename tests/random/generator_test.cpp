#include "random/generator.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

using minimind::Generator;

TEST_CASE("the words of the Mersenne Twister") {
    for (const std::uint64_t seed : {0ULL, 1ULL, 42ULL, 5489ULL, 4294967295ULL}) {
        Generator generator(seed);
        std::mt19937 reference(static_cast<std::uint32_t>(seed));
        bool equal = true;
        for (int i = 0; i < 5000; ++i) equal = equal && generator.draw32() == reference();
        CHECK(equal);
    }
    Generator generator(5489);
    for (int i = 1; i < 10000; ++i) generator.draw32();
    CHECK(generator.draw32() == 4123659995U);  // the C++ standard gives this one, [rand.predef]
}

TEST_CASE("only the lower 32 bits of a seed count") {
    Generator low(5);
    Generator high((std::uint64_t{1} << 32) + 5);
    Generator highest(0xffffffff'00000005ULL);
    const std::uint32_t first = low.draw32();
    CHECK(high.draw32() == first);
    CHECK(highest.draw32() == first);
}

TEST_CASE("what is made of the draws, by hand") {
    Generator draws(42);
    const std::uint32_t a = draws.draw32();  // 1608637542
    const std::uint32_t b = draws.draw32();  // 3421126067
    CHECK(a == 1608637542U);
    CHECK(b == 3421126067U);
    CHECK(Generator(42).draw64() == (std::uint64_t{a} << 32 | b));
    CHECK(Generator(42).uniform_float() == static_cast<float>(a % 16777216U) / 16777216.0F);
    const std::uint64_t lower53 = (std::uint64_t{a} << 32 | b) & 0x1fffffffffffffULL;
    const double u = static_cast<double>(lower53) / 9007199254740992.0;
    CHECK(Generator(42).uniform_double() == u);
    CHECK(Generator(42).exponential_float() == static_cast<float>(-std::log1p(-u)));
}

TEST_CASE("fill_uniform is uniform_float, value by value") {
    Generator one(9);
    Generator all(9);
    std::vector<float> values(2000);
    one.draw32();
    all.draw32();  // so that the fill does not start at a twist
    all.fill_uniform(values.data(), values.size(), 0.0F, 1.0F);
    bool equal = true;
    for (const float value : values) equal = equal && value == one.uniform_float();
    CHECK(equal);
    CHECK(all.draw32() == one.draw32());
}

TEST_CASE("skipping leaves the generator as filling does") {
    for (const std::size_t count :
         {0UL, 1UL, 3UL, 15UL, 16UL, 17UL, 31UL, 32UL, 608UL, 623UL, 624UL, 625UL, 1247UL, 1248UL, 1249UL, 5000UL}) {
        for (const std::size_t before : {0UL, 1UL, 16UL, 624UL}) {
            std::vector<float> values(count);
            Generator filled(3);
            Generator skipped(3);
            filled.skip_uniform(before);
            for (std::size_t i = 0; i < before; ++i) skipped.draw32();

            filled.fill_uniform(values.data(), count, -1.0F, 1.0F);
            skipped.skip_uniform(count);
            filled.fill_normal(values.data(), count, 0.0, 1.0);
            skipped.skip_normal(count);
            CAPTURE(count);
            CAPTURE(before);
            float from_filled = 0.0F;  // comes from a kept half if count is odd and below 16
            float from_skipped = 0.0F;
            filled.fill_normal(&from_filled, 1, 0.0, 1.0);
            skipped.fill_normal(&from_skipped, 1, 0.0, 1.0);
            CHECK(from_filled == from_skipped);
            CHECK(filled.draw32() == skipped.draw32());
        }
    }
}

TEST_CASE("a long normal is made of the same blocks as its pieces") {
    // 10,000 values cross the pieces in which fill_normal works; 16 at a time cross none.
    Generator whole(11);
    Generator pieces(11);
    std::vector<float> values(10'000);
    std::vector<float> piece(16);
    whole.fill_normal(values.data(), values.size(), 0.5, 2.0);
    bool equal = true;
    for (std::size_t start = 0; start < values.size(); start += 16) {
        pieces.fill_normal(piece.data(), 16, 0.5, 2.0);
        for (std::size_t j = 0; j < 16; ++j) equal = equal && values[start + j] == piece[j];
    }
    CHECK(equal);
}

TEST_CASE("a length that is not a multiple of 16 redraws the last 16 values") {
    Generator generator(12);
    Generator reference(12);
    std::vector<float> values(37);
    std::vector<float> expected(32);
    generator.fill_normal(values.data(), 37, 0.0, 1.0);
    reference.fill_normal(expected.data(), 32, 0.0, 1.0);
    for (int i = 0; i < 5; ++i) reference.draw32();  // values 32 to 36, overwritten at once
    std::vector<float> last(16);
    reference.fill_normal(last.data(), 16, 0.0, 1.0);
    for (std::size_t i = 0; i < 37; ++i) CHECK(values[i] == (i < 21 ? expected[i] : last[i - 21]));
    CHECK(generator.draw32() == reference.draw32());
}

TEST_CASE("normal values have the mean and deviation asked for") {
    Generator generator(1);
    constexpr std::size_t count = 1'000'000;
    std::vector<float> values(count);
    generator.fill_normal(values.data(), count, 3.0, 0.5);
    double sum = 0.0;
    double sum_of_squares = 0.0;
    for (const float value : values) {
        sum += static_cast<double>(value);
        sum_of_squares += (static_cast<double>(value) - 3.0) * (static_cast<double>(value) - 3.0);
    }
    // Five standard errors: 0.5 / sqrt(n) of the mean, 0.25 sqrt(2 / n) of the variance.
    CHECK(std::abs(sum / count - 3.0) < 5.0 * 0.5e-3);
    CHECK(std::abs(sum_of_squares / count - 0.25) < 5.0 * 0.36e-3);
}

TEST_CASE("multinomial") {
    Generator generator(4);
    const std::vector<float> one = {0.0F, 0.0F, 0.25F, 0.0F};
    for (int i = 0; i < 100; ++i) CHECK(generator.multinomial(one.data(), one.size()) == 2);

    const std::vector<float> p = {1.0F, 0.0F, 3.0F};  // need not add up to 1
    std::vector<int> chosen(3);
    constexpr int draws = 10'000;
    for (int i = 0; i < draws; ++i) ++chosen[generator.multinomial(p.data(), p.size())];
    CHECK(chosen[1] == 0);
    CHECK(std::abs(chosen[0] - draws / 4) < 5 * 44);  // five standard errors: sqrt(draws / 4 * 3 / 4) = 43.3

    Generator used(8);
    Generator counted(8);
    used.multinomial(p.data(), p.size());
    counted.skip_uniform(2 * p.size());  // two 32-bit draws an entry, entries of probability 0 among them
    CHECK(used.draw32() == counted.draw32());
}
