// What a file is by its first bytes. A name can lie, and what lies in place of weights after a failed download is often
// a web page or a Git LFS pointer; that is then said in so many words.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace minimind {

enum class FileKind {
    zip,              // "PK": what torch.save writes since PyTorch 1.6
    legacy_pickle,    // a bare pickle: what torch.save wrote before
    git_lfs_pointer,  // a few lines of text that stand for a large file
    html,             // a web page
    other,            // safetensors, which has no magic number, or anything else
};

FileKind file_kind(std::span<const std::byte> bytes);

/// Throws Error, naming the file, if the bytes are a Git LFS pointer or a web page.
void refuse_stand_ins(std::span<const std::byte> bytes, const std::string& name);

}  // namespace minimind
