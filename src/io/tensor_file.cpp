#include "io/tensor_file.hpp"

#include <fmt/core.h>

#include "core/error.hpp"
#include "io/file_kind.hpp"
#include "io/json_text.hpp"
#include "io/mapped_file.hpp"
#include "io/pth.hpp"
#include "io/safetensors.hpp"

namespace minimind {

Shape row_major_strides(const Shape& shape) {
    Shape strides(shape.size());
    std::int64_t step = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = step;
        step *= shape[axis];
    }
    return strides;
}

bool StoredTensor::row_major() const {
    // The stride of an axis with one element is never used, and PyTorch leaves anything there.
    const Shape expected = row_major_strides(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] > 1 && strides[axis] != expected[axis]) return false;
    }
    return true;
}

const StoredTensor* TensorFile::find(std::string_view tensor_name) const {
    for (const StoredTensor& tensor : tensors()) {
        if (tensor.name == tensor_name) return &tensor;
    }
    return nullptr;
}

const StoredTensor& TensorFile::at(std::string_view tensor_name) const {
    const StoredTensor* const tensor = find(tensor_name);
    if (tensor != nullptr) return *tensor;
    std::vector<std::string> names;
    for (const StoredTensor& known : tensors()) names.push_back(known.name);
    Error error(fmt::format("there is no tensor \"{}\"", printable(tensor_name)));
    error.at(name());
    const std::string nearest = nearest_name(tensor_name, names);
    if (!nearest.empty()) error.help(fmt::format("did you mean \"{}\"?", nearest));
    throw error;
}

namespace {

/// Calls `visit(distance of an element from the first, in elements)` in row-major order.
template <typename Visit>
void for_each_element(const StoredTensor& tensor, Visit visit) {
    const std::size_t count = tensor.count();
    Shape index(tensor.shape.size(), 0);
    std::int64_t distance = 0;
    for (std::size_t i = 0; i < count; ++i) {
        visit(static_cast<std::size_t>(distance));
        for (std::size_t axis = tensor.shape.size(); axis-- > 0;) {  // the next index, as an odometer
            distance += tensor.strides[axis];
            if (++index[axis] < tensor.shape[axis]) break;
            distance -= tensor.strides[axis] * tensor.shape[axis];
            index[axis] = 0;
        }
    }
}

}  // namespace

std::vector<float> TensorFile::to_f32(const StoredTensor& tensor) {
    std::vector<float> values(tensor.count());
    if (values.empty()) return values;
    const std::byte* const first = data(tensor);
    if (tensor.row_major()) {
        stored_to_f32(tensor.type, first, values.size(), values.data());
        return values;
    }
    const std::size_t size = stored_type_size(tensor.type);
    float* next = values.data();
    for_each_element(tensor,
                     [&](std::size_t distance) { *next++ = stored_to_f32(tensor.type, first + distance * size); });
    return values;
}

std::vector<std::int64_t> TensorFile::to_i64(const StoredTensor& tensor) {
    if (is_floating(tensor.type)) {
        throw Error(fmt::format("integers were expected in \"{}\", but its type is {}", printable(tensor.name),
                                stored_type_name(tensor.type)))
            .at(name());
    }
    std::vector<std::int64_t> values(tensor.count());
    if (values.empty()) return values;
    const std::byte* const first = data(tensor);
    const std::size_t size = stored_type_size(tensor.type);
    std::int64_t* next = values.data();
    for_each_element(tensor,
                     [&](std::size_t distance) { stored_to_i64(tensor.type, first + distance * size, 1, next++); });
    return values;
}

const float* TensorFile::f32_in_place(const StoredTensor& tensor) {
    if (tensor.type != StoredType::f32 || !tensor.row_major() || tensor.count() == 0) return nullptr;
    const std::byte* const first = data(tensor);
    const bool aligned = reinterpret_cast<std::uintptr_t>(first) % alignof(float) == 0;
    return aligned ? reinterpret_cast<const float*>(first) : nullptr;
}

std::unique_ptr<TensorFile> open_tensor_file(const std::filesystem::path& path) {
    MappedFile file(path);
    refuse_stand_ins(file.bytes(), file.name());
    const FileKind kind = file_kind(file.bytes());
    if (kind == FileKind::legacy_pickle) refuse_legacy_format(file.name());
    if (kind == FileKind::zip) return std::make_unique<PthFile>(std::move(file));
    return std::make_unique<SafetensorsFile>(std::move(file));
}

}  // namespace minimind
