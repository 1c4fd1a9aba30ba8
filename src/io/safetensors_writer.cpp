#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/json_text.hpp"
#include "io/safetensors.hpp"

namespace minimind {

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, Metadata metadata)
    : path_(path.string()), metadata_(std::move(metadata)), float_values_(path.string() + ".data") {}

void SafetensorsWriter::reserve_name(const std::string& name) {
    if (name == "__metadata__" || !names_.insert(name).second) {
        throw Error(fmt::format("two tensors cannot have the name \"{}\"", printable(name))).at(path_).exit_code(1);
    }
}

void SafetensorsWriter::add(const std::string& name, const TensorView& tensor) {
    if (tensor.dtype() == Dtype::f32) {
        if (tensor.contiguous()) {
            add(name, tensor.shape(), {tensor.f32(), static_cast<std::size_t>(tensor.count())});
        } else {
            add(name, tensor.shape(), tensor.to_f32());
        }
        return;
    }
    reserve_name(name);
    const std::vector<std::int64_t> values = tensor.to_i64();
    integers_.push_back({name, tensor.shape(), values.size() * sizeof(std::int64_t)});
    integer_values_.insert(integer_values_.end(), values.begin(), values.end());
}

void SafetensorsWriter::add(const std::string& name, const Shape& shape, std::span<const float> values) {
    if (static_cast<std::size_t>(element_count(shape)) != values.size()) {
        throw Error(
            fmt::format("\"{}\": the shape {} does not have {} elements", name, list_text(shape), values.size()))
            .exit_code(1);
    }
    reserve_name(name);
    floats_.push_back({name, shape, values.size_bytes()});
    float_values_.write(values.data(), values.size_bytes());
}

std::string SafetensorsWriter::header_text() const {
    using nlohmann::json;
    std::string text = "{";
    if (!metadata_.empty()) text += "\"__metadata__\":" + json(metadata_).dump();
    std::uint64_t begin = 0;
    const auto describe = [&](const std::vector<Entry>& entries, const char* type) {
        for (const Entry& entry : entries) {
            const std::uint64_t end = begin + entry.bytes;
            const json value = {{"dtype", type}, {"shape", entry.shape}, {"data_offsets", {begin, end}}};
            text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", json(entry.name).dump(), value.dump());
            begin = end;
        }
    };
    describe(integers_, "I64");
    describe(floats_, "F32");
    text += "}";
    text.resize((text.size() + 7) / 8 * 8, ' ');  // the tensors then begin at a multiple of 8 bytes
    return text;
}

void SafetensorsWriter::finish() {
    const std::string header = header_text();
    const std::uint64_t length = header.size();
    OutputFile file(path_);
    file.write(&length, sizeof length);
    file.write(header);
    file.write(integer_values_.data(), integer_values_.size() * sizeof(std::int64_t));
    file.append(float_values_);
    file.commit();
}

}  // namespace minimind
