// A file as bytes in memory: mapped read-only, so that opening 256 MB of weights reads none of them, and only the pages
// that are used are ever loaded.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace minimind {

class MappedFile {
  public:
    /// Maps the whole file. Throws Error if it is missing, a directory, empty, not readable or no plain file.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();

    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    /// The path as it was given, for messages.
    const std::string& name() const { return name_; }
    std::size_t size() const { return size_; }
    std::span<const std::byte> bytes() const { return {data_, size_}; }
    std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  private:
    std::string name_;
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace minimind
