// NumPy's .npy format: one array in one file, which `numpy.load` reads.
//
//   "\x93NUMPY", a major and a minor version byte
//   the header's length: 2 bytes (version 1) or 4 bytes (versions 2 and 3), low byte first
//   the header: a Python dict, {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, then spaces and a newline, so
//   that the elements begin at a multiple of 64 bytes
//   the elements, row-major or (fortran_order) column-major
//
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/shape.hpp"
#include "trace/tensor_view.hpp"

namespace minimind {

/// Writes float32 ('<f4') or int64 ('<i8'), row-major. Throws Error with exit code 1 if it cannot be written.
void write_npy(const std::filesystem::path& path, const TensorView& tensor);

struct IntegerArray {
    Shape shape;                       // one or two axes
    std::vector<std::int64_t> values;  // row-major
};

/// Reads an array of integers or truth values with one or two axes: token ids, labels, a mask. Throws Error, naming the
/// file, for anything else.
IntegerArray read_npy_integers(const std::filesystem::path& path);

/// The same from the bytes of a file; `name` is for messages.
IntegerArray parse_npy_integers(std::span<const std::byte> file, const std::string& name);

}  // namespace minimind
