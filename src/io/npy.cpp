#include "io/npy.hpp"

#include <fmt/core.h>

#include <optional>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "io/file_kind.hpp"
#include "io/json_text.hpp"
#include "io/mapped_file.hpp"
#include "io/npy_header.hpp"
#include "io/output_file.hpp"
#include "io/stored_type.hpp"

namespace minimind {

namespace {

std::optional<StoredType> integer_type(std::string_view npy_name) {
    constexpr std::pair<std::string_view, StoredType> known[] = {
        {"<i8", StoredType::i64}, {"<i4", StoredType::i32}, {"<i2", StoredType::i16},
        {"|i1", StoredType::i8},  {"|u1", StoredType::u8},  {"|b1", StoredType::boolean}};
    for (const auto& [name, type] : known) {
        if (name == npy_name) return type;
    }
    return std::nullopt;
}

/// How many elements the shape has, if that many can lie in `bytes` bytes.
std::optional<std::size_t> count_within(const Shape& shape, std::size_t size, std::size_t bytes) {
    std::size_t count = 1;
    for (const std::int64_t axis : shape) {
        const std::size_t factor = static_cast<std::size_t>(axis);
        if (factor != 0 && count > bytes / size / factor) return std::nullopt;
        count *= factor;
    }
    return count;
}

}  // namespace

void write_npy(const std::filesystem::path& path, const TensorView& tensor) {
    const bool is_float = tensor.dtype() == Dtype::f32;
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                     is_float ? "<f4" : "<i8", shape_text(tensor.shape()));
    constexpr std::size_t before_header = 10;
    header.resize((before_header + header.size() + 1 + 63) / 64 * 64 - before_header - 1, ' ');
    header += '\n';

    OutputFile file(path);
    file.write(npy_magic);
    const char version_and_length[] = {1, 0, static_cast<char>(header.size() & 0xff),
                                       static_cast<char>(header.size() >> 8)};
    file.write(version_and_length, sizeof version_and_length);
    file.write(header);
    if (is_float) {
        const std::vector<float> values = tensor.to_f32();
        file.write(values.data(), values.size() * sizeof(float));
    } else {
        const std::vector<std::int64_t> values = tensor.to_i64();
        file.write(values.data(), values.size() * sizeof(std::int64_t));
    }
    file.commit();
}

IntegerArray parse_npy_integers(std::span<const std::byte> file, const std::string& name) {
    refuse_stand_ins(file, name);
    const NpyHeader header = parse_npy_header(file, name);
    const std::span<const std::byte> elements = file.subspan(header.elements_begin);
    const std::optional<StoredType> type = integer_type(header.type);
    if (!type) {
        throw Error(fmt::format("integers were expected, but the array's type is '{}'", printable(header.type, 40)))
            .at(name)
            .help("save it as array.astype('<i8')");
    }
    if (header.shape.empty() || header.shape.size() > 2) {
        throw Error(fmt::format("the array has the shape {}", shape_text(header.shape)))
            .at(name)
            .note("one row of numbers, (seq,), or several, (batch, seq), were expected");
    }
    const std::size_t size = stored_type_size(*type);
    const std::optional<std::size_t> count = count_within(header.shape, size, elements.size());
    if (!count || *count * size != elements.size()) {
        throw Error("the .npy file has another length than its header says")
            .at(name)
            .note(fmt::format("shape {} of {} bytes each, {} bytes follow", shape_text(header.shape), size,
                              elements.size()));
    }
    IntegerArray array{header.shape, std::vector<std::int64_t>(*count)};
    stored_to_i64(*type, elements.data(), *count, array.values.data());
    if (header.fortran_order && header.shape.size() == 2) {  // column after column: transpose
        const std::size_t rows = static_cast<std::size_t>(header.shape[0]);
        const std::size_t columns = static_cast<std::size_t>(header.shape[1]);
        const std::vector<std::int64_t> by_column = array.values;
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                array.values[row * columns + column] = by_column[column * rows + row];
            }
        }
    }
    return array;
}

IntegerArray read_npy_integers(const std::filesystem::path& path) {
    const MappedFile file(path);
    return parse_npy_integers(file.bytes(), file.name());
}

}  // namespace minimind
