#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/stored_type.hpp"

using namespace minimind;

namespace {

float from_bits(StoredType type, std::uint16_t bits) {
    std::byte bytes[2];
    std::memcpy(bytes, &bits, 2);
    return stored_to_f32(type, bytes);
}

}  // namespace

TEST_CASE("half-precision values by hand") {
    CHECK(from_bits(StoredType::f16, 0x3c00) == 1.0f);
    CHECK(from_bits(StoredType::f16, 0xc000) == -2.0f);
    CHECK(from_bits(StoredType::f16, 0x3555) == 0.333251953125f);  // (1 + 0x155/1024) / 4
    CHECK(from_bits(StoredType::f16, 0x7bff) == 65504.0f);         // the largest
    CHECK(from_bits(StoredType::f16, 0x0001) == 0x1p-24f);         // the smallest, subnormal
    CHECK(from_bits(StoredType::f16, 0x83ff) == -1023 * 0x1p-24f);
    CHECK(from_bits(StoredType::f16, 0x7c00) == std::numeric_limits<float>::infinity());
    CHECK(from_bits(StoredType::f16, 0xfc00) == -std::numeric_limits<float>::infinity());
    CHECK(std::isnan(from_bits(StoredType::f16, 0x7e00)));
    CHECK(std::signbit(from_bits(StoredType::f16, 0x8000)));
    CHECK(from_bits(StoredType::bf16, 0x3f80) == 1.0f);
    CHECK(from_bits(StoredType::bf16, 0xc040) == -3.0f);
    CHECK(from_bits(StoredType::bf16, 0xff80) == -std::numeric_limits<float>::infinity());
}

TEST_CASE("every finite half is sign * significand * 2^exponent") {
    // Exact on both sides: a half has 11 significant bits, a float 24.
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const unsigned exponent = bits >> 10 & 0x1f;
        if (exponent == 0x1f) continue;
        const double fraction = bits & 0x3ff;
        const double magnitude =
            exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
        const float expected = static_cast<float>((bits & 0x8000) != 0 ? -magnitude : magnitude);
        REQUIRE(from_bits(StoredType::f16, static_cast<std::uint16_t>(bits)) == expected);
    }
}

TEST_CASE("integers and doubles") {
    const double value = 1.5;
    std::byte bytes[8];
    std::memcpy(bytes, &value, 8);
    CHECK(stored_to_f32(StoredType::f64, bytes) == 1.5f);
    const std::int32_t negative = -7;
    std::memcpy(bytes, &negative, 4);
    std::int64_t wide = 0;
    stored_to_i64(StoredType::i32, bytes, 1, &wide);
    CHECK(wide == -7);
    CHECK(stored_to_f32(StoredType::i8, bytes) == -7.0f);
    CHECK(stored_to_f32(StoredType::u8, bytes) == 249.0f);
    CHECK(stored_to_f32(StoredType::boolean, bytes) == 1.0f);
}

TEST_CASE("names") {
    CHECK(stored_type_name(StoredType::bf16) == "BF16");
    CHECK(stored_type_named("I32") == StoredType::i32);
    CHECK(!stored_type_named("F8_E4M3"));
    CHECK(stored_type_size(StoredType::f16) == 2);
}
