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

/// Without a branch, so that a loop of these is vectorised.
float f16_to_f32(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t shifted = (bits & 0x7fffu) << 13;  // exponent and fraction where a float has them
    // The exponent still counts from bias 15: times 2^(127 - 15), which is exact, and makes subnormal numbers normal.
    const std::uint32_t scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(shifted) * 0x1p112f);
    const std::uint32_t all_ones = shifted | 0x7f800000u;  // infinity and NaN keep an exponent of all ones
    const bool finite = (bits & 0x7c00u) != 0x7c00u;
    return std::bit_cast<float>(sign | (finite ? scaled : all_ones));
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
    if (count == 0) return;
    if (type == StoredType::f32) {
        std::memcpy(to, from, count * sizeof(float));
    } else if (type == StoredType::f16) {  // these two are what large files hold: loops of their own
        for (std::size_t i = 0; i < count; ++i) to[i] = f16_to_f32(load<std::uint16_t>(from + 2 * i));
    } else if (type == StoredType::bf16) {
        for (std::size_t i = 0; i < count; ++i) to[i] = bf16_to_f32(load<std::uint16_t>(from + 2 * i));
    } else {
        const std::size_t size = stored_type_size(type);
        for (std::size_t i = 0; i < count; ++i) to[i] = stored_to_f32(type, from + i * size);
    }
}

void stored_to_i64(StoredType type, const std::byte* from, std::size_t count, std::int64_t* to) {
    const std::size_t size = stored_type_size(type);
    for (std::size_t i = 0; i < count; ++i) to[i] = load_integer(type, from + i * size);
}

}  // namespace minimind
