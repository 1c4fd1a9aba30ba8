#include "io/io_support.hpp"
#include "support/text.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace minimind::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "minimind_io_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void write_bytes(const fs::path& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file) throw std::runtime_error("cannot write " + path.string());
}

Error error_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return error;
    }
    return Error("");
}

std::string full_text(const Error& error) {
    std::string text = error.what();
    text += "\n--> " + error.where();
    for (const std::string& note : error.notes()) text += "\nnote: " + note;
    for (const std::string& help : error.helps()) text += "\nhelp: " + help;
    return text;
}

std::string little_endian(std::uint64_t value, int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
}

std::string safetensors_bytes(const std::string& header, const std::string& data) {
    return little_endian(header.size(), 8) + header + data;
}

namespace {

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t crc = ~std::uint32_t{0};
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

/// What the header before a member and its entry in the directory at the end of the file share.
std::string common_fields(const ZipEntry& entry) {
    const std::uint64_t size = entry.claimed_size == ~std::uint64_t{0} ? entry.bytes.size() : entry.claimed_size;
    const std::uint64_t packed = entry.method == 0 ? size : entry.bytes.size();
    return little_endian(20, 2) + little_endian(0, 2) + little_endian(entry.method, 2) + little_endian(0, 4) +
           little_endian(crc32(entry.bytes), 4) + little_endian(packed, 4) + little_endian(size, 4) +
           little_endian(entry.name.size(), 2) + little_endian(0, 2);
}

}  // namespace

std::string zip_bytes(const std::vector<ZipEntry>& entries) {
    std::string file;
    std::string directory;
    for (const ZipEntry& entry : entries) {
        directory += "PK\x01\x02" + little_endian(20, 2) + common_fields(entry) + little_endian(0, 2) +
                     little_endian(0, 2) + little_endian(0, 2) + little_endian(0, 4) + little_endian(file.size(), 4) +
                     entry.name;
        file += "PK\x03\x04" + common_fields(entry) + entry.name + entry.bytes;
    }
    const std::string end = std::string("PK\x05\x06") + little_endian(0, 4) + little_endian(entries.size(), 2) +
                            little_endian(entries.size(), 2) + little_endian(directory.size(), 4) +
                            little_endian(file.size(), 4) + little_endian(0, 2);
    return file + directory + end;
}

std::string pth_bytes(const std::string& pickle, const std::string& storage) {
    return zip_bytes({{"archive/data.pkl", pickle}, {"archive/byteorder", "little"}, {"archive/data/0", storage}});
}

std::string pickle_text(const std::string& text) {
    return "X" + little_endian(text.size(), 4) + text;
}

std::string pickle_integer(std::int64_t value) {
    return "\x8a\x08" + little_endian(static_cast<std::uint64_t>(value), 8);
}

std::string pickle_tensor(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                          std::int64_t offset, std::int64_t storage_elements, const std::string& key) {
    std::string sizes = "(";
    for (const std::int64_t size : shape) sizes += pickle_integer(size);
    std::string steps = "(";
    for (const std::int64_t stride : strides) steps += pickle_integer(stride);
    return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickle_text("storage") + "ctorch\nFloatStorage\n" +
           pickle_text(key) + pickle_text("cpu") + pickle_integer(storage_elements) + "tQ" + pickle_integer(offset) +
           sizes + "t" + steps + "t" + "\x89}tR";
}

std::string pickle_dict(const std::string& name, const std::string& value) {
    return "\x80\x02}" + pickle_text(name) + value + "s.";
}

}  // namespace minimind::test
