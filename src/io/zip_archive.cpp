#include "io/zip_archive.hpp"

#include <fmt/core.h>
#include <limits>

#include "core/error.hpp"
#include "io/json_text.hpp"
#include "io/zip_library.hpp"

namespace minimind {

namespace {

/// Weights hardly shrink when they are packed. Many times the file's size is a bomb, not weights.
constexpr std::uint64_t most_growth = 8;
constexpr zip_int64_t most_members = 500'000;

Error unreadable(const std::string& name, const char* reason) {
    return Error("the zip file cannot be read")
        .at(name)
        .note(reason)
        .help("the file may be cut off: download or save it again");
}

struct CloseMember {
    void operator()(zip_file_t* member) const { zip_library().fclose(member); }
};

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const {
    zip_library().discard(archive);
}

ZipArchive::ZipArchive(std::span<const std::byte> file, std::string name) : name_(std::move(name)) {
    zip_error_t error;
    zip_library().error_init(&error);
    zip_source_t* const source = zip_library().source_buffer_create(file.data(), file.size(), 0, &error);
    if (source != nullptr) {
        archive_.reset(zip_library().open_from_source(source, ZIP_RDONLY, &error));
        if (!archive_) zip_library().source_free(source);
    }
    const std::string reason = zip_library().error_strerror(&error);
    zip_library().error_fini(&error);
    if (!archive_) throw unreadable(name_, reason.c_str());

    const zip_int64_t count = zip_library().get_num_entries(archive_.get(), 0);
    if (count > most_members) {
        throw Error(fmt::format("the zip file has {} members, more than the {} that are accepted", count, most_members))
            .at(name_);
    }
    std::uint64_t stored = 0;
    std::uint64_t unpacked = 0;
    for (zip_int64_t i = 0; i < count; ++i) {
        zip_stat_t status;
        constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
        const bool known =
            zip_library().stat_index(archive_.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW, &status) == 0;
        if (!known || (status.valid & needed) != needed) throw unreadable(name_, "a member has no name or no size");
        if (status.size > std::numeric_limits<std::uint64_t>::max() / 2 - unpacked) {
            throw unreadable(name_, "the sizes of its members are impossible");
        }
        unpacked += status.size;
        if (status.comp_method == ZIP_CM_STORE) stored += status.size;
        members_.push_back({status.name, status.index, status.size});
    }
    check_sizes(stored, unpacked, file.size());
}

void ZipArchive::check_sizes(std::uint64_t stored, std::uint64_t unpacked, std::size_t file_bytes) const {
    // Members that are not packed lie in the file one after the other.
    if (stored > file_bytes || unpacked / most_growth > file_bytes) {
        throw Error("the zip file claims to hold more than it can")
            .at(name_)
            .note(fmt::format("{} bytes in a file of {}, {} of them not packed", unpacked, file_bytes, stored))
            .help("nothing was unpacked; download or save the file again");
    }
}

std::optional<ZipArchive::Member> ZipArchive::find(const std::string& member_name) const {
    const zip_int64_t index = zip_library().name_locate(archive_.get(), member_name.c_str(), ZIP_FL_ENC_RAW);
    if (index < 0) return std::nullopt;
    return members_[static_cast<std::size_t>(index)];
}

ZipArchive::Member ZipArchive::at(const std::string& member_name) const {
    const std::optional<Member> member = find(member_name);
    if (!member) throw Error(fmt::format("the zip file has no {}", printable(member_name))).at(name_);
    return *member;
}

std::unique_ptr<std::byte[]> ZipArchive::read(const Member& member) const {
    const std::string where = fmt::format("{}: {}", name_, printable(member.name));
    const std::unique_ptr<zip_file_t, CloseMember> file(zip_library().fopen_index(archive_.get(), member.index, 0));
    if (!file) throw unreadable(where, zip_library().strerror(archive_.get()));
    // new without (): the memory is not cleared first, since it is filled at once.
    std::unique_ptr<std::byte[]> bytes(new std::byte[member.bytes]);
    std::uint64_t filled = 0;
    while (filled < member.bytes) {
        const zip_int64_t count = zip_library().fread(file.get(), bytes.get() + filled, member.bytes - filled);
        if (count <= 0)
            throw unreadable(where, count < 0 ? zip_library().file_strerror(file.get()) : "it ends too early");
        filled += static_cast<std::uint64_t>(count);
    }
    char beyond = 0;
    const zip_int64_t rest = zip_library().fread(file.get(), &beyond, 1);  // at its end libzip compares the checksum
    if (rest != 0)
        throw unreadable(where, rest < 0 ? zip_library().file_strerror(file.get()) : "it is longer than it says");
    return bytes;
}

}  // namespace minimind
