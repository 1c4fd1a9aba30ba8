// What PyTorch draws after manual_seed(seed). Float normals of 16 values or more and all uniforms must be equal bit for
// bit: the engine's arithmetic is float32 with every rounding written out. Fewer values and exponentials go through the
// C library's double functions, whose last bit may differ between versions: one float32 unit in the last place.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "random/generator.hpp"

using minimind::Generator;
using Json = nlohmann::json;

namespace {

const Json& golden() {
    static const Json json = Json::parse(std::ifstream(std::string(MINIMIND_GOLDEN_DIR) + "/init/rng.json"));
    return json;
}

std::vector<float> normal(Generator& generator, std::size_t count, double std = 1.0) {
    std::vector<float> values(count);
    generator.fill_normal(values.data(), count, 0.0, std);
    return values;
}

std::vector<float> uniform(Generator& generator, std::size_t count, double bound_low, double bound_high) {
    std::vector<float> values(count);
    generator.fill_uniform(values.data(), count, static_cast<float>(bound_low), static_cast<float>(bound_high));
    return values;
}

/// The values of a list or of a list of lists.
std::vector<float> flat(const Json& json) {
    std::vector<float> values;
    for (const Json& item : json) {
        if (!item.is_array()) {
            values.push_back(item.get<float>());
        } else {
            for (const float value : flat(item)) values.push_back(value);
        }
    }
    return values;
}

bool within_one_unit(const std::vector<float>& a, const std::vector<float>& b) {
    bool close = a.size() == b.size();
    for (std::size_t i = 0; close && i < a.size(); ++i) {
        close = a[i] == b[i] || std::nextafter(a[i], b[i]) == b[i];
    }
    return close;
}

void check_seed(const std::string& seed_text) {
    CAPTURE(seed_text);
    const Json& expected = golden().at(seed_text);
    const std::uint64_t seed = std::stoull(seed_text);
    const auto fresh = [&] { return Generator(seed); };

    for (const std::size_t count : {1UL, 2UL, 3UL, 5UL, 15UL, 16UL, 17UL, 24UL, 31UL, 32UL, 33UL, 47UL, 100UL}) {
        Generator generator = fresh();
        const std::vector<float> values = normal(generator, count);
        const std::vector<float> wanted = flat(expected.at("randn(" + std::to_string(count) + ")"));
        CAPTURE(count);
        CHECK((count < 16 ? within_one_unit(values, wanted) : values == wanted));
    }
    Generator generator = fresh();
    CHECK(uniform(generator, 10, 0.0, 1.0) == flat(expected.at("rand(10)")));

    generator = fresh();  // an odd number: the kept half comes first in the second request
    const Json& odd = expected.at("randn(3) randn(3) rand(2)");
    CHECK(within_one_unit(normal(generator, 3), flat(odd[0])));
    CHECK(within_one_unit(normal(generator, 3), flat(odd[1])));
    CHECK(uniform(generator, 2, 0.0, 1.0) == flat(odd[2]));

    generator = fresh();  // a long request leaves the kept half alone
    const Json& kept = expected.at("randn(1) randn(20) randn(1) randn(1)");
    CHECK(within_one_unit(normal(generator, 1), flat(kept[0])));
    CHECK(normal(generator, 20) == flat(kept[1]));
    CHECK(within_one_unit(normal(generator, 1), flat(kept[2])));
    CHECK(within_one_unit(normal(generator, 1), flat(kept[3])));
}

void check_layers(const std::string& seed_text) {
    CAPTURE(seed_text);
    const Json& expected = golden().at(seed_text);
    const std::uint64_t seed = std::stoull(seed_text);

    Generator generator(seed);
    const double bound5 = 1.0 / std::sqrt(5.0);
    CHECK(uniform(generator, 15, -bound5, bound5) == flat(expected.at("Linear(5,3) weight")));
    generator = Generator(seed);
    CHECK(uniform(generator, 64, -0.125, 0.125) == flat(expected.at("Linear(64,32) first row")));
    generator = Generator(seed);
    CHECK(normal(generator, 21) == flat(expected.at("Embedding(3,7) weight")));
    generator = Generator(seed);
    CHECK(normal(generator, 33, 0.02) == flat(expected.at("normal(0,0.02) 3x11")));

    generator = Generator(seed);
    double sum = 0.0;
    for (const float value : normal(generator, 640)) sum += static_cast<double>(value);
    // The reference's sum is one of 640 float32 values, in float32: its rounding is a few units of 20.
    CHECK(sum == doctest::Approx(expected.at("randn(2,5,64) sum").get<double>()).epsilon(1e-5));

    generator = Generator(seed);
    std::vector<float> exponential(6);
    for (float& value : exponential) value = generator.exponential_float();
    CHECK(within_one_unit(exponential, flat(expected.at("exponential(6)"))));

    generator = Generator(seed);
    const std::vector<float> p = flat(expected.at("multinomial p"));
    std::vector<std::size_t> chosen(20);
    for (std::size_t& choice : chosen) choice = generator.multinomial(p.data(), p.size());
    CHECK(chosen == expected.at("multinomial(p,1) x 20").get<std::vector<std::size_t>>());
}

}  // namespace

TEST_CASE("PyTorch's uniform and normal numbers") {
    for (const char* seed : {"42", "0", "7"}) check_seed(seed);
}

TEST_CASE("PyTorch's fresh layers, exponential and multinomial") {
    for (const char* seed : {"42", "0", "7"}) check_layers(seed);
}
