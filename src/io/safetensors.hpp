// The safetensors format: named tensors in one file, made to be mapped into memory.
//
//   8 bytes   N, the length of the header, as a little-endian integer
//   N bytes   JSON: {"__metadata__": {"key": "text", ...},
//                    "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...}
//   the rest  the tensors' bytes, row-major, low byte first; the offsets count from here
//
// The tensors lie without gaps and overlaps from the first byte to the last. The header may end in spaces.
// Source: https://github.com/huggingface/safetensors
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/mapped_file.hpp"
#include "io/output_file.hpp"
#include "io/tensor_file.hpp"
#include "trace/tensor_view.hpp"

namespace minimind {

using Metadata = std::map<std::string, std::string>;

struct SafetensorsHeader {
    Metadata metadata;
    std::vector<StoredTensor> tensors;  // in the order of their bytes
};

/// Reads and checks the header of a whole file in memory. Every tensor's bytes then lie inside the file. `name` is the
/// file's, for messages. Throws Error.
SafetensorsHeader parse_safetensors(std::span<const std::byte> file, const std::string& name);

/// A safetensors file, mapped: opening it reads the header only.
class SafetensorsFile : public TensorFile {
  public:
    /// Throws Error if there is no such file or it is no correct safetensors file.
    explicit SafetensorsFile(const std::filesystem::path& path) : SafetensorsFile(MappedFile(path)) {}
    explicit SafetensorsFile(MappedFile file);

    const std::string& name() const override { return file_.name(); }
    const std::vector<StoredTensor>& tensors() const override { return header_.tensors; }
    const std::byte* data(const StoredTensor& tensor) override { return file_.bytes().data() + tensor.offset; }
    const Metadata& metadata() const { return header_.metadata; }

  private:
    MappedFile file_;
    SafetensorsHeader header_;
};

/// Writes a safetensors file, tensor by tensor: float32 values go to disk at once. The file appears under its name when
/// finish() is called, whole or not at all. Write failures are Errors with exit code 1.
class SafetensorsWriter {
  public:
    explicit SafetensorsWriter(const std::filesystem::path& path, Metadata metadata = {});

    /// Throws Error if the name was added before.
    void add(const std::string& name, const TensorView& tensor);
    void add(const std::string& name, const Shape& shape, std::span<const float> values);
    void finish();

  private:
    struct Entry {
        std::string name;
        Shape shape;
        std::uint64_t bytes;
    };
    void reserve_name(const std::string& name);
    std::string header_text() const;

    std::string path_;
    Metadata metadata_;
    std::set<std::string> names_;
    std::vector<Entry> integers_;
    std::vector<Entry> floats_;
    std::vector<std::int64_t> integer_values_;  // first in the file, so that all lie at multiples of 8 bytes
    OutputFile float_values_;                   // collected on disk: the header that comes first is known at the end
};

}  // namespace minimind
