// A zip file in memory, read by libzip, within limits: nothing is unpacked that could not have come from so small a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct zip;

namespace minimind {

class ZipArchive {
  public:
    struct Member {
        std::string name;
        std::uint64_t index = 0;
        std::uint64_t bytes = 0;  // unpacked
    };

    /// `file` must outlive the archive; `name` is for messages. Throws Error if it is no zip file, or one that unpacks
    /// to far more than its own size.
    ZipArchive(std::span<const std::byte> file, std::string name);

    const std::vector<Member>& members() const { return members_; }
    /// The member of that name, if there is one.
    std::optional<Member> find(const std::string& member_name) const;
    /// The same; throws Error if there is none.
    Member at(const std::string& member_name) const;
    /// Its bytes, unpacked and checked against its CRC. Aligned for any number.
    std::unique_ptr<std::byte[]> read(const Member& member) const;

  private:
    struct Discard {
        void operator()(zip* archive) const;
    };
    void check_sizes(std::uint64_t stored, std::uint64_t unpacked, std::size_t file_bytes) const;

    std::string name_;
    std::unique_ptr<zip, Discard> archive_;
    std::vector<Member> members_;
};

}  // namespace minimind
