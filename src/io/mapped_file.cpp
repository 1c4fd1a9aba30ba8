#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace minimind {

namespace {

/// A file descriptor that closes itself. The mapping outlives it.
struct Descriptor {
    int value = -1;

    explicit Descriptor(int descriptor) : value(descriptor) {}
    ~Descriptor() {
        if (value >= 0) ::close(value);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
};

Error cannot_open(const std::string& name, int reason) {
    if (reason == ENOENT) return Error("there is no such file").at(name).help("check the path");
    if (reason == EACCES) return Error("the file may not be read").at(name).help("check its permissions");
    return Error("the file cannot be opened").at(name).note(std::strerror(reason));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : name_(path.string()) {
    // O_NONBLOCK: opening a named pipe must not wait for somebody who writes to it.
    const Descriptor file(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.value < 0) throw cannot_open(name_, errno);

    struct stat status {};
    if (::fstat(file.value, &status) != 0) throw cannot_open(name_, errno);
    if (S_ISDIR(status.st_mode)) throw Error("a file was expected, but this is a directory").at(name_);
    if (!S_ISREG(status.st_mode)) throw Error("this is not a plain file").at(name_).help("copy it to a file first");
    if (status.st_size <= 0) throw Error("the file is empty").at(name_).help("download or save it again");

    size_ = static_cast<std::size_t>(status.st_size);
    void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.value, 0);
    if (mapped == MAP_FAILED) throw Error("the file cannot be mapped").at(name_).note(std::strerror(errno));
    data_ = static_cast<const std::byte*>(mapped);
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : name_(std::move(other.name_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace minimind
