// What all weight files have in common: named tensors, each somewhere in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape.hpp"
#include "io/stored_type.hpp"

namespace minimind {

/// A tensor as a file holds it.
struct StoredTensor {
    std::string name;
    StoredType type = StoredType::f32;
    Shape shape;
    Shape strides;             // in elements, one an axis; row-major without gaps unless a .pth says otherwise
    std::string storage;       // the member of a .pth that holds the elements, "data/3"; "" in a safetensors file
    std::uint64_t offset = 0;  // of the first element: bytes from the start of the file, or of the storage

    std::size_t count() const { return static_cast<std::size_t>(element_count(shape)); }
    bool row_major() const;
};

/// The strides of a row-major tensor without gaps: [H*W, W, 1] for [N, H, W].
Shape row_major_strides(const Shape& shape);

class TensorFile {
  public:
    virtual ~TensorFile() = default;

    /// The path as the user gave it.
    virtual const std::string& name() const = 0;
    /// In the order in which the file lists them.
    virtual const std::vector<StoredTensor>& tensors() const = 0;
    /// The first element of one of tensors(). The memory belongs to this object. Throws Error if it cannot be read.
    virtual const std::byte* data(const StoredTensor& tensor) = 0;

    /// The tensor of that name, or nullptr.
    const StoredTensor* find(std::string_view tensor_name) const;
    /// The tensor of that name; throws Error with the nearest name if there is none.
    const StoredTensor& at(std::string_view tensor_name) const;

    /// The elements in row-major order, converted.
    std::vector<float> to_f32(const StoredTensor& tensor);
    /// Throws Error for a tensor of floating-point numbers.
    std::vector<std::int64_t> to_i64(const StoredTensor& tensor);
    /// The elements where they lie, if they are row-major, aligned float32; else nullptr.
    const float* f32_in_place(const StoredTensor& tensor);
};

/// Opens a .safetensors, .pth or .bin, told apart by their first bytes. Throws Error.
std::unique_ptr<TensorFile> open_tensor_file(const std::filesystem::path& path);

}  // namespace minimind
