// PyTorch's .pth and .bin, as torch.save writes them since version 1.6: a zip file with
//
//   NAME/data.pkl    a pickle: the state_dict, a dict from names to tensors; each tensor says in which storage it lies,
//                    at which offset and with which strides
//   NAME/data/0 ...  the storages: bare elements, low byte first
//   NAME/byteorder   "little"
//
// Several tensors may look at one storage (a tied head and its embedding, slices of one large tensor).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/mapped_file.hpp"
#include "io/pickle.hpp"
#include "io/tensor_file.hpp"
#include "io/zip_archive.hpp"

namespace minimind {

class PthFile : public TensorFile {
  public:
    /// Reads the pickle and checks that every tensor lies inside its storage. Storages are read when they are needed.
    /// Throws Error for the format before PyTorch 1.6, and for a file without a state_dict. What training writes to
    /// resume from has the state_dict under "model".
    explicit PthFile(const std::filesystem::path& path) : PthFile(MappedFile(path)) {}
    explicit PthFile(MappedFile file);

    const std::string& name() const override { return file_.name(); }
    const std::vector<StoredTensor>& tensors() const override { return tensors_; }
    const std::byte* data(const StoredTensor& tensor) override;

  private:
    void check_byte_order() const;
    const PickleValue& state_dict(const Pickle& pickle) const;
    StoredTensor describe(const std::string& tensor_name, const PickleValue& tensor) const;

    MappedFile file_;
    ZipArchive archive_;
    std::string folder_;  // "NAME/"
    std::vector<StoredTensor> tensors_;
    std::map<std::string, std::unique_ptr<std::byte[]>> storages_;  // what was read so far
};

/// Throws Error that says how to convert a file of the format before PyTorch 1.6.
[[noreturn]] void refuse_legacy_format(const std::string& name);

}  // namespace minimind
