#include "generate/logit_filters.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "generate/sampler.hpp"

using namespace minimind;

namespace {

constexpr float dropped = -std::numeric_limits<float>::infinity();

std::vector<float> values(const arma::fvec& vector) {
    return {vector.begin(), vector.end()};
}

using Floats = std::vector<float>;
using Ids = std::vector<std::int64_t>;

arma::fvec random_logits(std::uint64_t seed, std::size_t n) {
    arma::fvec logits(n);
    Generator(seed).fill_normal(logits.memptr(), n, 0.0, 2.0);
    return logits;
}

}  // namespace

TEST_CASE("temperature divides") {
    CHECK(values(with_temperature({1.0F, -3.0F, 0.0F}, 0.5)) == Floats{2.0F, -6.0F, 0.0F});  // powers of 2: exact
}

TEST_CASE("the penalty divides scores above 0 and multiplies the others, once for each id") {
    const arma::fvec logits = {3.0F, -1.0F, 0.0F, 8.0F, 5.0F};
    CHECK(values(with_repetition_penalty(logits, {3, 1, 3, 2, 3}, 2.0)) == Floats{3.0F, -2.0F, 0.0F, 4.0F, 5.0F});
    CHECK(values(with_repetition_penalty(logits, {0, 1}, 1.0)) == values(logits));
}

TEST_CASE("top-k keeps the k largest and what equals the last of them") {
    const arma::fvec logits = {1.0F, 4.0F, 2.0F, 2.0F, 3.0F};
    CHECK(values(with_top_k(logits, 1)) == Floats{dropped, 4.0F, dropped, dropped, dropped});
    CHECK(values(with_top_k(logits, 3)) == Floats{dropped, 4.0F, 2.0F, 2.0F, 3.0F});  // 2 comes twice
    CHECK(values(with_top_k(logits, 0)) == values(logits));                           // off
    CHECK(values(with_top_k(logits, 99)) == values(logits));                          // more than there are
}

TEST_CASE("top-p drops a token if those before it add up to more than p") {
    // Probabilities 0.5, 0.25, 0.125, 0.125, in the order 2, 0, 1, 3: the sums before them are 0, 0.5, 0.75, 0.875.
    // The logarithms and their exponentials are off by 1e-7, which the bounds here stay away from.
    const arma::fvec logits = {std::log(0.25F), std::log(0.125F), std::log(0.5F), std::log(0.125F)};
    const auto kept = [&](double p) {
        const Ids ids = candidates(with_top_p(logits, p));
        return std::set<std::int64_t>(ids.begin(), ids.end());
    };
    CHECK(kept(0.0) == std::set<std::int64_t>{2});  // the first always stays
    CHECK(kept(0.49) == std::set<std::int64_t>{2});
    CHECK(kept(0.51) == std::set<std::int64_t>{0, 2});  // the one that crosses p stays, too
    CHECK(kept(0.74) == std::set<std::int64_t>{0, 2});
    CHECK(kept(0.80) == std::set<std::int64_t>{0, 1, 2});  // of equal ones the smaller id comes first
    CHECK(kept(0.90) == std::set<std::int64_t>{0, 1, 2, 3});
    CHECK(values(with_top_p(logits, 1.0)) == values(logits));
    CHECK(values(with_top_p(logits, 7.0)) == values(logits));
}

TEST_CASE("candidates come in descending order, without what was dropped") {
    CHECK(candidates({1.0F, dropped, 3.0F, 1.0F, 2.0F}) == Ids{2, 4, 0, 3});
    CHECK(candidate_count({1.0F, dropped, 3.0F}) == 2);
}

TEST_CASE("properties of the filters, for random logits") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        CAPTURE(seed);
        const std::size_t n = 1 + static_cast<std::size_t>(seed) * 7;
        const arma::fvec logits = random_logits(seed, n);
        const std::int64_t k = 1 + static_cast<std::int64_t>(seed) % 20;
        const arma::fvec top_k = with_top_k(logits, k);
        // Different random floats: exactly k stay, and they are the k first candidates.
        const std::int64_t expected = std::min<std::int64_t>(k, static_cast<std::int64_t>(n));
        CHECK(candidate_count(top_k) == expected);
        Ids first = candidates(logits);
        first.resize(static_cast<std::size_t>(expected));
        CHECK(candidates(top_k) == first);

        const double p = static_cast<double>(seed) / 50.0;
        const arma::fvec probabilities = softmax(logits);
        const Ids nucleus = candidates(with_top_p(logits, p));
        double sum = 0.0;
        for (const std::int64_t id : nucleus) sum += static_cast<double>(probabilities(static_cast<arma::uword>(id)));
        const double last = static_cast<double>(probabilities(static_cast<arma::uword>(nucleus.back())));
        // The smallest set that holds more than p: without its last token it holds at most p. Sums of at most 350
        // float32 probabilities are off by less than 1e-6.
        CHECK(sum > p - 1e-6);
        CHECK(sum - last < p + 1e-6);
        CHECK(std::abs(static_cast<double>(arma::accu(softmax(top_k))) - 1.0) < 1e-6);
    }
}

TEST_CASE("the sampler keeps every stage, in the reference's order") {
    // The penalty comes after the temperature and before top-k: id 1 falls from 4 to 2 and out of the two largest.
    SamplingSettings settings;
    settings.temperature = 0.5;
    settings.repetition_penalty = 2.0;
    settings.top_k = 2;
    settings.top_p = 1.0;
    Sampler sampler(settings, 0);
    const SampledToken token = sampler.choose({1.0F, 2.0F, 1.5F, -1.0F}, {1, 1, 3});
    CHECK(values(token.logits) == Floats{1.0F, 2.0F, 1.5F, -1.0F});
    CHECK(values(token.after_temperature) == Floats{2.0F, 4.0F, 3.0F, -2.0F});
    CHECK(values(token.after_repetition_penalty) == Floats{2.0F, 2.0F, 3.0F, -4.0F});
    CHECK(values(token.after_top_k) == Floats{2.0F, 2.0F, 3.0F, dropped});  // ties stay
    CHECK(values(token.after_top_p) == values(token.after_top_k));
    CHECK(token.probabilities(3) == 0.0F);
    CHECK(token.id != 3);
}

TEST_CASE("greedy takes the largest score after the filters and draws nothing") {
    SamplingSettings settings;
    settings.greedy = true;
    settings.repetition_penalty = 10.0;
    Sampler sampler(settings, 0);
    for (int i = 0; i < 3; ++i) {
        CHECK(sampler.choose({1.0F, 3.0F, 2.0F}, {1}).id == 2);
        CHECK(sampler.choose({1.0F, 3.0F, 2.0F}, {}).id == 1);
        CHECK(sampler.choose({3.0F, 3.0F}, {}).id == 0);  // the first of equal ones, as argmax
    }
}

TEST_CASE("a token is drawn as often as its probability says") {
    SamplingSettings settings;
    settings.temperature = 1.0;
    settings.top_k = 0;
    settings.top_p = 1.0;
    Sampler sampler(settings, 42);
    const arma::fvec logits = {std::log(0.7F), std::log(0.2F), std::log(0.1F)};
    constexpr int draws = 20000;
    std::vector<int> count(3, 0);
    for (int i = 0; i < draws; ++i) ++count[static_cast<std::size_t>(sampler.choose(logits, {}).id)];
    // The standard deviation of a share is at most sqrt(0.25 / 20000) = 0.0035; four of them.
    CHECK(std::abs(count[0] / double{draws} - 0.7) < 0.014);
    CHECK(std::abs(count[1] / double{draws} - 0.2) < 0.014);
    CHECK(std::abs(count[2] / double{draws} - 0.1) < 0.014);
}

TEST_CASE("settings out of range and scores that are no numbers are errors") {
    const auto with = [](auto change) {
        SamplingSettings settings;
        change(settings);
        Sampler sampler(settings, 0);
    };
    CHECK_THROWS_AS(with([](SamplingSettings& s) { s.temperature = 0.0; }), Error);
    CHECK_THROWS_AS(with([](SamplingSettings& s) { s.temperature = -1.0; }), Error);
    CHECK_THROWS_AS(with([](SamplingSettings& s) { s.top_k = -1; }), Error);
    CHECK_THROWS_AS(with([](SamplingSettings& s) { s.top_p = -0.1; }), Error);
    CHECK_THROWS_AS(with([](SamplingSettings& s) { s.repetition_penalty = 0.0; }), Error);
    try {
        with([](SamplingSettings& s) { s.temperature = 0.0; });
    } catch (const Error& error) {
        REQUIRE(error.helps().size() == 1);
        CHECK(error.helps()[0].find("--greedy") != std::string::npos);
    }

    Sampler sampler({}, 0);
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK_THROWS_AS(sampler.choose({1.0F, std::nanf("")}, {}), Error);
    CHECK_THROWS_AS(sampler.choose({1.0F, infinity}, {}), Error);
    CHECK_THROWS_AS(sampler.choose({dropped, dropped}, {}), Error);
    CHECK(sampler.choose({1.0F, dropped}, {}).id == 0);
    SamplingSettings cold;
    cold.temperature = 1e-40;  // 1 / 1e-40 is more than a float holds
    Sampler cold_sampler(cold, 0);
    CHECK_THROWS_AS(cold_sampler.choose({1.0F, 2.0F}, {}), Error);
}
