// What the tests of src/io share: a folder that removes itself, the Error that a call throws, and builders of files that
// are wrong on purpose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "support/text.hpp"

namespace minimind::test {

inline std::filesystem::path golden(const std::string& name) {
    return std::filesystem::path(MINIMIND_GOLDEN_DIR) / name;
}

/// A new folder under the system's temporary one, removed at the end of the test.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

void write_bytes(const std::filesystem::path& path, std::string_view bytes);
/// The Error that `run` throws; one with the message "" if it throws none.
Error error_of(const std::function<void()>& run);
/// Message, place, notes and helps of an Error in one text.
std::string full_text(const Error& error);
/// A number as `count` bytes, the low one first.
std::string little_endian(std::uint64_t value, int count);
std::string safetensors_bytes(const std::string& header, const std::string& data);

/// One member of a zip file. What it claims about itself can be set apart from what is true.
struct ZipEntry {
    std::string name;
    std::string bytes;
    std::uint64_t claimed_size = ~std::uint64_t{0};  // unpacked; by default the truth
    std::uint16_t method = 0;                        // 0: stored, 8: deflated
};
std::string zip_bytes(const std::vector<ZipEntry>& entries);

/// A .pth whose pickle is the given program and whose storage data/0 holds `storage`.
std::string pth_bytes(const std::string& pickle, const std::string& storage = std::string(24, '\0'));

// Pieces of pickle programs.
std::string pickle_text(const std::string& text);
std::string pickle_integer(std::int64_t value);
/// The stack then has one more tensor: F32, in data/0.
std::string pickle_tensor(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                          std::int64_t offset, std::int64_t storage_elements, const std::string& key = "0");
/// A whole program that makes {name: value}; `value` is a piece of a program.
std::string pickle_dict(const std::string& name, const std::string& value);

}  // namespace minimind::test
