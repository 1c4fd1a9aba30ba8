#include "io/pth.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "core/error.hpp"
#include "io/file_kind.hpp"
#include "io/json_text.hpp"

namespace minimind {

namespace {

constexpr std::string_view pickle_name = "data.pkl";
constexpr std::uint64_t most_pickle_bytes = std::uint64_t{32} << 20;

/// The name of the folder that everything lies in, from the name of the pickle: "NAME/".
std::string folder_of(const ZipArchive& archive, const std::string& file) {
    for (const ZipArchive::Member& member : archive.members()) {
        const std::string_view name = member.name;
        if (name == pickle_name) return "";
        if (name.size() <= pickle_name.size()) continue;
        const std::string_view folder = name.substr(0, name.size() - pickle_name.size());
        // The first slash is the last one: the pickle lies directly in the one folder.
        if (name.substr(folder.size()) == pickle_name && folder.find('/') == folder.size() - 1) {
            return std::string(folder);
        }
    }
    throw Error("this zip file was not written by torch.save").at(file).note("it has no data.pkl");
}

bool holds_tensors(const PickleValue& value) {
    if (value.kind != PickleValue::Kind::dict) return false;
    for (std::size_t i = 1; i < value.items.size(); i += 2) {
        if (value.items[i]->kind == PickleValue::Kind::tensor) return true;
    }
    return false;
}

Shape shape_of(const PickleValue& tuple) {
    Shape shape;
    for (const PickleValue* const item : tuple.items) shape.push_back(item->integer);
    return shape;
}

/// a * b + c, or the largest number if that is too large.
std::uint64_t product_and_sum(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    if (b != 0 && a > largest / b) return largest;
    return a * b > largest - c ? largest : a * b + c;
}

/// The elements that a tensor has, and the place of its last one in the storage, from the storage's first.
struct Extent {
    std::uint64_t count = 1;
    std::uint64_t last = 0;
};

Extent extent_of(const Shape& shape, const Shape& strides, std::uint64_t offset) {
    Extent extent{1, offset};
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return {0, offset};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::uint64_t size = static_cast<std::uint64_t>(shape[axis]);
        extent.count = product_and_sum(extent.count, size, 0);
        extent.last = product_and_sum(size - 1, static_cast<std::uint64_t>(strides[axis]), extent.last);
    }
    return extent;
}

}  // namespace

void refuse_legacy_format(const std::string& name) {
    throw Error("this is the format that torch.save wrote before PyTorch 1.6")
        .at(name)
        .note("only the zip format since then can be read")
        .help(fmt::format("convert it in Python: import torch; torch.save(torch.load(\"{0}\"), \"new.pth\")", name));
}

PthFile::PthFile(MappedFile file) : file_(std::move(file)), archive_(file_.bytes(), file_.name()) {
    folder_ = folder_of(archive_, name());
    check_byte_order();
    const ZipArchive::Member member = archive_.at(folder_ + std::string(pickle_name));
    if (member.bytes > most_pickle_bytes) {
        throw Error(
            fmt::format("data.pkl has {} bytes, more than the {} that are accepted", member.bytes, most_pickle_bytes))
            .at(name());
    }
    const std::unique_ptr<std::byte[]> bytes = archive_.read(member);
    const std::string where = name() + ": data.pkl";
    const Pickle pickle({bytes.get(), static_cast<std::size_t>(member.bytes)}, where);
    const PickleValue& dict = state_dict(pickle);
    std::set<std::string> names;
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
        const PickleValue& key = *dict.items[i];
        const PickleValue& value = *dict.items[i + 1];
        if (key.kind != PickleValue::Kind::text || value.kind != PickleValue::Kind::tensor) continue;
        if (!names.insert(key.text).second) {
            throw Error(fmt::format("two tensors have the name \"{}\"", printable(key.text))).at(name());
        }
        tensors_.push_back(describe(key.text, value));
    }
}

void PthFile::check_byte_order() const {
    const auto member = archive_.find(folder_ + "byteorder");
    if (!member || member->bytes > 16) return;  // older versions of PyTorch do not write it
    const std::unique_ptr<std::byte[]> bytes = archive_.read(*member);
    const std::string_view order(reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(member->bytes));
    if (order == "little") return;
    throw Error("the file was written on a big-endian machine")
        .at(name())
        .help("load it in PyTorch on this machine and save it again");
}

const PickleValue& PthFile::state_dict(const Pickle& pickle) const {
    const PickleValue& root = pickle.root();
    if (holds_tensors(root)) return root;
    for (const char* const key : {"model", "state_dict", "model_state_dict"}) {
        const PickleValue* const inner = dict_value(root, key);
        if (inner != nullptr && holds_tensors(*inner)) return *inner;
    }
    throw Error("the file holds no state_dict")
        .at(name())
        .note("a dict from names to tensors was expected, or one under the key \"model\"")
        .help("save it with torch.save(model.state_dict(), path)");
}

StoredTensor PthFile::describe(const std::string& tensor_name, const PickleValue& tensor) const {
    const PickleValue& storage = *tensor.items[0];
    const std::uint64_t offset = static_cast<std::uint64_t>(tensor.items[1]->integer);
    const std::string where = fmt::format("{}: tensor \"{}\"", name(), printable(tensor_name));
    const std::string member_name = folder_ + "data/" + storage.text;
    const auto member = archive_.find(member_name);
    if (!member) throw Error(fmt::format("its storage {} is missing", printable(member_name))).at(where);

    StoredTensor result;
    result.name = tensor_name;
    result.type = storage.type;
    result.shape = shape_of(*tensor.items[2]);
    result.strides = shape_of(*tensor.items[3]);
    result.storage = member_name;
    const std::size_t size = stored_type_size(storage.type);
    const std::uint64_t elements = member->bytes / size;
    const Extent extent = extent_of(result.shape, result.strides, offset);
    if (extent.count > 0 && extent.last >= elements) {
        throw Error("the tensor lies beyond the end of its storage")
            .at(where)
            .note(fmt::format("shape {}, strides {}, offset {}, but {} has {} elements", list_text(result.shape),
                              list_text(result.strides), offset, printable(member_name), elements));
    }
    if (extent.count > elements) {
        throw Error("the tensor has more elements than its storage")
            .at(where)
            .note(fmt::format("shape {}, strides {}: a view that repeats elements", list_text(result.shape),
                              list_text(result.strides)))
            .help("save it with .contiguous()");
    }
    result.offset = extent.count > 0 ? offset * size : 0;
    return result;
}

const std::byte* PthFile::data(const StoredTensor& tensor) {
    std::unique_ptr<std::byte[]>& storage = storages_[tensor.storage];
    if (!storage) storage = archive_.read(archive_.at(tensor.storage));
    return storage.get() + tensor.offset;
}

}  // namespace minimind
