// Writing a file so that nobody ever sees half of it: the bytes go to a temporary file beside it, which takes its name
// in one step at the end. What goes wrong leaves the old file as it was, and no temporary one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace minimind {

class OutputFile {
  public:
    /// Opens the temporary file. Throws Error with exit code 1 if it cannot be created, as every function here does.
    explicit OutputFile(const std::filesystem::path& path);
    /// Removes the temporary file if it was not committed.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// Appends all that was written to `other`.
    void append(OutputFile& other);
    /// Gives the file its name, in place of one that may have it.
    void commit();

  private:
    [[noreturn]] void fail(const char* what) const;
    void flush();

    std::string path_;
    std::string temporary_;
    std::string buffer_;  // small writes are collected
    int descriptor_ = -1;
};

/// Writes a whole file at once.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace minimind
