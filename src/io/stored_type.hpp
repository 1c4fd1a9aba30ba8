// The number types that weights are stored in, and how each becomes the float32 that the engine computes with.
//
//   F32   1 sign, 8 exponent, 23 fraction bits
//   BF16  1 sign, 8 exponent,  7 fraction bits: the upper half of an F32
//   F16   1 sign, 5 exponent, 10 fraction bits: exponent bias 15, subnormal below 2^-14
//
// Every F16 and BF16 value is an F32 value, so that the conversion loses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minimind {

enum class StoredType { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

/// As safetensors spells it: "F32", "BF16", "BOOL".
std::string_view stored_type_name(StoredType type);
/// The type of that name, if there is one that we read.
std::optional<StoredType> stored_type_named(std::string_view name);
/// All names, for an error message: "F64, F32, ...".
std::string stored_type_names();
/// The bytes of one element.
std::size_t stored_type_size(StoredType type);
bool is_floating(StoredType type);

/// One element as float32. `from` needs no alignment.
float stored_to_f32(StoredType type, const std::byte* from);
/// `count` elements in a row.
void stored_to_f32(StoredType type, const std::byte* from, std::size_t count, float* to);
/// `count` integers in a row. Precondition: not is_floating(type).
void stored_to_i64(StoredType type, const std::byte* from, std::size_t count, std::int64_t* to);

}  // namespace minimind
