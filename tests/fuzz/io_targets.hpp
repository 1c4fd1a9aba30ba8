// What is done with an input of the fuzzers of src/io. Each function returns for a good input and throws Error for a bad
// one; anything else (a crash, another exception, a time-out) is a bug. The tests call them with the inputs in corpus/.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <numeric>
#include <span>
#include <string>

#include "io/hf_config.hpp"
#include "io/io_support.hpp"
#include "io/npy.hpp"
#include "io/pth.hpp"
#include "io/safetensors.hpp"

namespace minimind::test {

/// A file that is only in memory, with a path that others can open.
class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
        if (descriptor_ < 0 || ::write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
            std::abort();
        }
    }
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  private:
    int descriptor_;
};

/// Reads every element of every tensor, so that a sanitizer sees each that lies outside.
inline void read_all_tensors(const std::string& path) {
    const auto file = open_tensor_file(path);
    for (const StoredTensor& tensor : file->tensors()) {
        if (file->to_f32(tensor).size() != tensor.count()) std::abort();
        if (!is_floating(tensor.type) && file->to_i64(tensor).size() != tensor.count()) std::abort();
    }
}

inline void run_safetensors(std::span<const std::byte> input) {
    for (const StoredTensor& tensor : parse_safetensors(input, "input").tensors) {
        const auto bytes = input.subspan(tensor.offset, tensor.count() * stored_type_size(tensor.type));
        const unsigned sum = std::accumulate(bytes.begin(), bytes.end(), 0u, [](unsigned total, std::byte byte) {
            return total + std::to_integer<unsigned>(byte);
        });
        if (sum > 255u * bytes.size()) std::abort();
    }
}

/// The input is the pickle; the zip file around it is correct, so that the fuzzer need not guess checksums.
inline void run_pickle(std::span<const std::byte> input) {
    const std::string pickle(reinterpret_cast<const char*>(input.data()), input.size());
    const MemoryFile file(pth_bytes(pickle, std::string(64, '\x3c')));
    read_all_tensors(file.path());
}

/// The input is the whole file.
inline void run_pth(std::span<const std::byte> input) {
    const MemoryFile file(std::string_view(reinterpret_cast<const char*>(input.data()), input.size()));
    read_all_tensors(file.path());
}

/// What is read can be written, and is then read as the same.
inline void run_config_json(std::span<const std::byte> input) {
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    const HfConfig read = parse_hf_config(text, "config.json");
    const HfConfig again = parse_hf_config(hf_config_text(read.config, "minimind"), "config.json");
    if (to_json(read.config) != to_json(again.config)) std::abort();
}

inline void run_npy(std::span<const std::byte> input) {
    const IntegerArray array = parse_npy_integers(input, "input");
    if (array.values.size() != static_cast<std::size_t>(element_count(array.shape))) std::abort();
}

}  // namespace minimind::test
