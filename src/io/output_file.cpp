#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/error.hpp"

namespace minimind {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

/// write(2) may take only a part of what it gets. False if it failed; errno says why.
bool write_all(int descriptor, const char* data, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t written = ::write(descriptor, data, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        data += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path.string()), temporary_(fmt::format("{}.partial.{}", path.string(), ::getpid())) {
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("the file cannot be written");
}

OutputFile::~OutputFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
}

void OutputFile::fail(const char* what) const {
    const int reason = errno;
    throw Error(what).at(path_).note(std::strerror(reason)).exit_code(1);
}

void OutputFile::write(const void* data, std::size_t bytes) {
    if (buffer_.size() + bytes > buffer_bytes) flush();
    const char* const characters = static_cast<const char*>(data);
    if (bytes > buffer_bytes) {
        if (!write_all(descriptor_, characters, bytes)) fail("writing failed");
    } else if (bytes > 0) {
        buffer_.append(characters, bytes);
    }
}

void OutputFile::flush() {
    if (!write_all(descriptor_, buffer_.data(), buffer_.size())) fail("writing failed");
    buffer_.clear();
}

void OutputFile::append(OutputFile& other) {
    flush();
    other.flush();
    std::vector<char> block(buffer_bytes);
    off_t position = 0;
    for (;;) {
        const ssize_t count = ::pread(other.descriptor_, block.data(), block.size(), position);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) other.fail("reading back failed");
        if (count == 0) return;
        if (!write_all(descriptor_, block.data(), static_cast<std::size_t>(count))) fail("writing failed");
        position += count;
    }
}

void OutputFile::commit() {
    flush();
    const int descriptor = descriptor_;
    descriptor_ = -1;
    // A full disk may show only now, on a network file system.
    if (::close(descriptor) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int reason = errno;
        ::unlink(temporary_.c_str());
        errno = reason;
        fail("the file cannot be written");
    }
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace minimind
