// Finding and opening the files of a checkpoint.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/error.hpp"
#include "io/checkpoint.hpp"
#include "io/file_kind.hpp"
#include "io/json_text.hpp"
#include "io/mapped_file.hpp"

namespace minimind {

namespace {

namespace fs = std::filesystem;

/// In the order in which transformers looks for them.
constexpr std::array<const char*, 4> weight_names = {"model.safetensors", "model.safetensors.index.json",
                                                     "pytorch_model.bin", "pytorch_model.bin.index.json"};

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

/// The names of the shards, each once, and which tensors each must hold.
std::map<std::string, std::vector<std::string>> read_weight_map(const fs::path& path) {
    const MappedFile file(path);
    refuse_stand_ins(file.bytes(), file.name());
    const nlohmann::json index = parse_json(file.text(), file.name());
    const auto found = index.is_object() ? index.find("weight_map") : index.end();
    if (found == index.end() || !found->is_object() || found->empty()) {
        throw Error("an object \"weight_map\" from tensors to files was expected").at(file.name());
    }
    std::map<std::string, std::vector<std::string>> shards;
    for (const auto& [tensor, shard] : found->items()) {
        const std::string name = shard.is_string() ? shard.get<std::string>() : "";
        // The shards lie beside the index; another folder is none of its business.
        if (name.empty() || name.find('/') != std::string::npos || name == "..") {
            throw Error(fmt::format("the file of \"{}\" must be a name without a folder, not {}", printable(tensor),
                                    json_kind(shard)))
                .at(file.name() + ": weight_map");
        }
        shards[name].push_back(tensor);
    }
    return shards;
}

std::vector<std::unique_ptr<TensorFile>> open_shards(const fs::path& index) {
    std::vector<std::unique_ptr<TensorFile>> files;
    for (const auto& [shard, tensors] : read_weight_map(index)) {
        files.push_back(open_tensor_file(index.parent_path() / shard));
        std::set<std::string_view> held;
        for (const StoredTensor& tensor : files.back()->tensors()) held.insert(tensor.name);
        for (const std::string& tensor : tensors) {
            if (held.count(tensor) != 0) continue;
            throw Error(fmt::format("the shard has no tensor \"{}\"", printable(tensor)))
                .at(files.back()->name())
                .note(fmt::format("{} says it has", index.string()));
        }
    }
    return files;
}

/// What a directory without any of the known names may hold instead.
std::string weight_files_in(const fs::path& directory) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
        const std::string extension = entry.path().extension().string();
        if (extension == ".pth" || extension == ".safetensors" || extension == ".bin") {
            names.push_back(printable(entry.path().string()));
        }
    }
    std::sort(names.begin(), names.end());
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 5); ++i) text += (i > 0 ? ", " : "") + names[i];
    return text;
}

CheckpointFiles open_directory(const fs::path& directory) {
    CheckpointFiles files;
    if (is_file(directory / "config.json")) files.config = directory / "config.json";
    for (const char* const name : weight_names) {
        const fs::path path = directory / name;
        if (!is_file(path)) continue;
        if (path.extension() == ".json") {
            files.weights = open_shards(path);
        } else {
            files.weights.push_back(open_tensor_file(path));
        }
        return files;
    }
    Error error("the directory holds no weights");
    error.at(directory.string())
        .note("model.safetensors, model.safetensors.index.json or pytorch_model.bin was expected");
    const std::string others = weight_files_in(directory);
    if (!others.empty()) error.help("give one of its files: " + others);
    throw error;
}

}  // namespace

CheckpointFiles open_checkpoint_files(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return open_directory(path);
    CheckpointFiles files;
    if (path.extension() == ".json") {
        files.weights = open_shards(path);
    } else {
        files.weights.push_back(open_tensor_file(path));
    }
    // Training writes its .pth files where it likes: what config lies beside one need not be its own.
    const fs::path config = path.parent_path() / "config.json";
    if (path.extension() != ".pth" && is_file(config)) files.config = config;
    return files;
}

}  // namespace minimind
