// The header of a .npy file; see npy.hpp for the format.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/shape.hpp"

namespace minimind {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyHeader {
    std::string type;  // "<i8"
    bool fortran_order = false;
    Shape shape;
    std::size_t elements_begin = 0;  // where in the file the elements begin
};

/// Reads the header at the start of a file; `name` is for messages. Throws Error if it is not as NumPy writes it.
NpyHeader parse_npy_header(std::span<const std::byte> file, const std::string& name);

}  // namespace minimind
