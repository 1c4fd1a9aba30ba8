#include "io/safetensors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "io/file_kind.hpp"
#include "io/json_text.hpp"

namespace minimind {

namespace {

using nlohmann::json;

constexpr std::uint64_t length_bytes = 8;
constexpr std::size_t most_axes = 8;

/// A tensor of the header, before it is known how it fits with the others.
struct HeaderEntry {
    StoredTensor tensor;
    std::uint64_t begin = 0;  // counted from the end of the header
    std::uint64_t end = 0;
};

std::string place(const std::string& file, const std::string& tensor) {
    return fmt::format("{}: tensor \"{}\"", file, printable(tensor));
}

/// The header's JSON text: as many bytes as the first 8 bytes say.
std::string_view header_text(std::span<const std::byte> file, const std::string& name) {
    if (file.size() < length_bytes) {
        throw Error("the file is too short for safetensors")
            .at(name)
            .note(fmt::format("{} bytes; the length of the header alone takes {}", file.size(), length_bytes));
    }
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), sizeof length);
    const std::string_view rest(reinterpret_cast<const char*>(file.data()) + length_bytes, file.size() - length_bytes);
    if (rest.substr(0, 1) != "{") {
        throw Error("this is no safetensors file")
            .at(name)
            .note("after 8 bytes there must be a JSON object, which begins with {");
    }
    if (length > rest.size()) {
        throw Error("the safetensors header is cut off, or this is no safetensors file")
            .at(name)
            .note(fmt::format("the first 8 bytes announce a header of {} bytes, {} follow", length, rest.size()))
            .help("download or save the file again");
    }
    return rest.substr(0, length);
}

Metadata read_metadata(const json& value, const std::string& name) {
    Metadata metadata;
    if (!value.is_object()) throw Error("__metadata__ must be an object, not " + json_kind(value)).at(name);
    for (const auto& [key, text] : value.items()) {
        if (!text.is_string()) {
            throw Error(fmt::format("__metadata__ \"{}\" must be a string, not {}", printable(key), json_kind(text)))
                .at(name);
        }
        metadata.emplace(key, text.get<std::string>());
    }
    return metadata;
}

const json& member(const json& entry, const char* key, const std::string& where) {
    if (!entry.is_object()) throw Error("an object was expected, not " + json_kind(entry)).at(where);
    const auto found = entry.find(key);
    if (found == entry.end()) throw Error(fmt::format("\"{}\" is missing", key)).at(where);
    return *found;
}

StoredType read_type(const json& value, const std::string& where) {
    if (!value.is_string()) throw Error("dtype must be a string, not " + json_kind(value)).at(where);
    const std::string& text = value.get_ref<const std::string&>();
    const std::optional<StoredType> type = stored_type_named(text);
    if (type) return *type;
    throw Error(fmt::format("the dtype \"{}\" cannot be read", printable(text, 40)))
        .at(where)
        .note("these can: " + stored_type_names());
}

std::vector<std::int64_t> read_integers(const json& value, const char* key, const std::string& where) {
    if (!value.is_array()) throw Error(fmt::format("{} must be a list, not {}", key, json_kind(value))).at(where);
    std::vector<std::int64_t> integers;
    for (const json& item : value) {
        const bool fits = item.is_number_unsigned() &&
                          item.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
        if (!fits) {
            throw Error(fmt::format("{} must hold whole numbers from 0 to 2^63 - 1, not {}", key, json_kind(item)))
                .at(where);
        }
        integers.push_back(item.get<std::int64_t>());
    }
    return integers;
}

/// The bytes that a shape takes. Throws Error if they are too many for 63 bits.
std::uint64_t bytes_of(const Shape& shape, StoredType type, const std::string& where) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    std::uint64_t bytes = stored_type_size(type);
    for (const std::int64_t size : shape) {
        const std::uint64_t factor = static_cast<std::uint64_t>(size);
        if (bytes > std::uint64_t{std::numeric_limits<std::int64_t>::max()} / factor) {
            throw Error(fmt::format("the shape {} is too large", list_text(shape))).at(where);
        }
        bytes *= factor;
    }
    return bytes;
}

HeaderEntry read_entry(const std::string& tensor_name, const json& value, std::uint64_t data_bytes,
                       const std::string& name) {
    const std::string where = place(name, tensor_name);
    HeaderEntry entry;
    entry.tensor.name = tensor_name;
    entry.tensor.type = read_type(member(value, "dtype", where), where);
    entry.tensor.shape = read_integers(member(value, "shape", where), "shape", where);
    if (entry.tensor.shape.size() > most_axes) {
        throw Error(fmt::format("a tensor of {} axes cannot be read", entry.tensor.shape.size()))
            .at(where)
            .note(fmt::format("{} are the most", most_axes));
    }
    const auto offsets = read_integers(member(value, "data_offsets", where), "data_offsets", where);
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
        throw Error("data_offsets must be [begin, end] with begin <= end").at(where);
    }
    entry.begin = static_cast<std::uint64_t>(offsets[0]);
    entry.end = static_cast<std::uint64_t>(offsets[1]);

    const std::uint64_t bytes = bytes_of(entry.tensor.shape, entry.tensor.type, where);
    if (entry.end - entry.begin != bytes) {
        throw Error(fmt::format("{} {} takes {} bytes, but data_offsets [{}, {}] span {}",
                                stored_type_name(entry.tensor.type), list_text(entry.tensor.shape), bytes, entry.begin,
                                entry.end, entry.end - entry.begin))
            .at(where);
    }
    if (entry.end > data_bytes) {
        throw Error("the tensor lies beyond the end of the file")
            .at(where)
            .note(fmt::format("it should end at byte {} after the header, but only {} bytes follow", entry.end,
                              data_bytes))
            .help("the file is cut off: download or save it again");
    }
    entry.tensor.strides = row_major_strides(entry.tensor.shape);
    return entry;
}

/// Sorted by their bytes, the tensors must fill the data part without gaps and overlaps.
void check_layout(std::vector<HeaderEntry>& entries, std::uint64_t data_bytes, const std::string& name) {
    std::sort(entries.begin(), entries.end(), [](const HeaderEntry& a, const HeaderEntry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t end = 0;
    for (const HeaderEntry& entry : entries) {
        if (entry.begin != end) {
            throw Error(entry.begin < end ? "the tensor overlaps the one before it"
                                          : "there is a gap before the tensor")
                .at(place(name, entry.tensor.name))
                .note(fmt::format("it begins at byte {} after the header, the one before it ends at {}", entry.begin,
                                  end));
        }
        end = entry.end;
    }
    if (end != data_bytes) {
        throw Error("there are bytes after the last tensor")
            .at(name)
            .note(fmt::format("the tensors end at byte {} after the header, the file at {}", end, data_bytes));
    }
}

}  // namespace

SafetensorsHeader parse_safetensors(std::span<const std::byte> file, const std::string& name) {
    refuse_stand_ins(file, name);
    const std::string_view text = header_text(file, name);
    const std::uint64_t data_start = length_bytes + text.size();
    const std::uint64_t data_bytes = file.size() - data_start;
    const json header = parse_json(text, name + ": safetensors header");

    SafetensorsHeader result;
    std::vector<HeaderEntry> entries;
    for (const auto& [key, value] : header.items()) {
        if (key == "__metadata__") {
            result.metadata = read_metadata(value, name);
        } else {
            entries.push_back(read_entry(key, value, data_bytes, name));
        }
    }
    check_layout(entries, data_bytes, name);
    for (HeaderEntry& entry : entries) {
        entry.tensor.offset = data_start + entry.begin;
        result.tensors.push_back(std::move(entry.tensor));
    }
    return result;
}

SafetensorsFile::SafetensorsFile(MappedFile file)
    : file_(std::move(file)), header_(parse_safetensors(file_.bytes(), file_.name())) {}

}  // namespace minimind
