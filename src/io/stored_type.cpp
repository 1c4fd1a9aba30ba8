#include "io/stored_type.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace minimind {

namespace {

static_assert(std::endian::native == std::endian::little, "weights are stored with the low byte first");

struct TypeEntry {
    StoredType type;
    std::string_view name;
    std::size_t size;
};

constexpr std::array<TypeEntry, 10> type_table{{{StoredType::f64, "F64", 8},
                                                {StoredType::f32, "F32", 4},
                                                {StoredType::f16, "F16", 2},
                                                {StoredType::bf16, "BF16", 2},
                                                {StoredType::i64, "I64", 8},
                                                {StoredType::i32, "I32", 4},
                                                {StoredType::i16, "I16", 2},
                                                {StoredType::i8, "I8", 1},
                                                {StoredType::u8, "U8", 1},
                                                {StoredType::boolean, "BOOL", 1}}};

const TypeEntry& entry_of(StoredType type) {
    return type_table[static_cast<std::size_t>(type)];
}

/// Reads a number from any address: a plain cast would need the right alignment.
template <typename Number>
Number load(const std::byte* from) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    return number;
}

float bf16_to_f32(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float f16_to_f32(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fu;
    const std::uint32_t fraction = bits & 0x3ffu;
    if (exponent == 0) {  // zero, or subnormal: fraction * 2^-24
        const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    // Infinity and NaN keep their all-ones exponent; everything else moves from bias 15 to bias 127.
    const std::uint32_t wide_exponent = exponent == 0x1fu ? 0xffu : exponent + (127u - 15u);
    return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << 13));
}

std::int64_t load_integer(StoredType type, const std::byte* from) {
    switch (type) {
        case StoredType::i64:
            return load<std::int64_t>(from);
        case StoredType::i32:
            return load<std::int32_t>(from);
        case StoredType::i16:
            return load<std::int16_t>(from);
        case StoredType::i8:
            return load<std::int8_t>(from);
        case StoredType::u8:
            return load<std::uint8_t>(from);
        case StoredType::boolean:
            return load<std::uint8_t>(from) != 0 ? 1 : 0;
        default:
            return 0;
    }
}

}  // namespace

std::string_view stored_type_name(StoredType type) {
    return entry_of(type).name;
}

std::size_t stored_type_size(StoredType type) {
    return entry_of(type).size;
}

std::optional<StoredType> stored_type_named(std::string_view name) {
    for (const TypeEntry& entry : type_table) {
        if (entry.name == name) return entry.type;
    }
    return std::nullopt;
}

std::string stored_type_names() {
    std::string names;
    for (const TypeEntry& entry : type_table) names.append(names.empty() ? "" : ", ").append(entry.name);
    return names;
}

bool is_floating(StoredType type) {
    return type == StoredType::f64 || type == StoredType::f32 || type == StoredType::f16 || type == StoredType::bf16;
}

float stored_to_f32(StoredType type, const std::byte* from) {
    switch (type) {
        case StoredType::f64:
            return static_cast<float>(load<double>(from));
        case StoredType::f32:
            return load<float>(from);
        case StoredType::f16:
            return f16_to_f32(load<std::uint16_t>(from));
        case StoredType::bf16:
            return bf16_to_f32(load<std::uint16_t>(from));
        default:
            return static_cast<float>(load_integer(type, from));
    }
}

void stored_to_f32(StoredType type, const std::byte* from, std::size_t count, float* to) {
    if (type == StoredType::f32) {
        if (count > 0) std::memcpy(to, from, count * sizeof(float));
        return;
    }
    const std::size_t size = stored_type_size(type);
    for (std::size_t i = 0; i < count; ++i) to[i] = stored_to_f32(type, from + i * size);
}

void stored_to_i64(StoredType type, const std::byte* from, std::size_t count, std::int64_t* to) {
    const std::size_t size = stored_type_size(type);
    for (std::size_t i = 0; i < count; ++i) to[i] = load_integer(type, from + i * size);
}

}  // namespace minimind
