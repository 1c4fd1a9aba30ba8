#include "io/file_kind.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/error.hpp"

namespace minimind {

namespace {

/// The first letters of a text in lower case, without the blanks and the byte order mark before them.
std::string opening(std::string_view text) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    std::string letters(text.substr(begin, 64));
    for (char& c : letters) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters;
}

}  // namespace

FileKind file_kind(std::span<const std::byte> bytes) {
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 256));
    if (start.substr(0, 2) == "PK") return FileKind::zip;
    if (start.size() > 1 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5) {
        // A safetensors file can begin so as well: its first 8 bytes are a length, and '{' follows.
        const bool safetensors = start.size() > 8 && start[8] == '{';
        return safetensors ? FileKind::other : FileKind::legacy_pickle;
    }
    if (start.substr(0, 35) == "version https://git-lfs.github.com/") return FileKind::git_lfs_pointer;
    const std::string letters = opening(start);
    for (const std::string_view tag : {"<!doctype html", "<html", "<head", "<?xml"}) {
        if (letters.compare(0, tag.size(), tag) == 0) return FileKind::html;
    }
    return FileKind::other;
}

void refuse_stand_ins(std::span<const std::byte> bytes, const std::string& name) {
    const FileKind kind = file_kind(bytes);
    if (kind == FileKind::git_lfs_pointer) {
        throw Error("this is a Git LFS pointer, not the weights")
            .at(name)
            .note("Git LFS keeps large files elsewhere and leaves a few lines of text in their place")
            .help("run `git lfs pull` in the checkout, or download the file itself");
    }
    if (kind == FileKind::html) {
        throw Error("this is a web page (HTML), not the weights")
            .at(name)
            .note("a download that needs a login, or a link to the page about a file, saves such a page")
            .help("download the file again from its direct link");
    }
}

}  // namespace minimind
