// The tensors of a checkpoint by name, and what their shapes say about the model.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/error.hpp"
#include "io/checkpoint.hpp"
#include "io/json_text.hpp"

namespace minimind {

namespace {

constexpr const char* embedding_name = "model.embed_tokens.weight";
constexpr const char* head_name = "lm_head.weight";

/// Without what DistributedDataParallel and torch.compile put before the names.
std::string_view bare_name(std::string_view name) {
    for (;;) {
        const std::string_view before = name;
        for (const std::string_view prefix : {"module.", "_orig_mod."}) {
            if (name.substr(0, prefix.size()) == prefix) name.remove_prefix(prefix.size());
        }
        if (name == before) return name;
    }
}

/// Rotary tables: computed from the config, but some programs save them.
bool is_buffer(std::string_view name) {
    for (const std::string_view end : {"freqs_cos", "freqs_sin", "rotary_emb.inv_freq"}) {
        if (name.size() >= end.size() && name.substr(name.size() - end.size()) == end) return true;
    }
    return false;
}

/// The N of "model.layers.N.".
std::optional<std::int64_t> layer_of(std::string_view name) {
    constexpr std::string_view start = "model.layers.";
    if (name.substr(0, start.size()) != start) return std::nullopt;
    std::int64_t layer = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + start.size(), end, layer);
    if (error != std::errc() || rest == end || *rest != '.' || layer < 0) return std::nullopt;
    return layer;
}

/// Reads sizes off the shapes of tensors; a missing tensor or one of another rank is an error.
class SizeReader {
  public:
    SizeReader(const TensorIndex& index, const std::string& name) : index_(index), name_(name) {}

    bool has(const std::string& tensor) const { return index_.find(tensor) != nullptr; }

    std::int64_t size(const std::string& tensor, std::size_t rank, std::size_t axis) const {
        const LocatedTensor* const found = index_.find(tensor);
        if (found == nullptr) {
            Error error(fmt::format("there is no tensor \"{}\"", tensor));
            error.at(name_).note("the sizes of the model cannot be derived without it");
            if (tensor.find("q_norm") != std::string::npos) {
                error.note("this engine's attention normalises q and k; models without q_norm are not supported");
            }
            throw error;
        }
        const Shape& shape = found->tensor.shape;
        if (shape.size() != rank) {
            throw Error(fmt::format("\"{}\" has the shape {}", tensor, list_text(shape)))
                .at(name_)
                .note(fmt::format("{} axes were expected", rank));
        }
        return shape[axis];
    }

    /// How many heads of `head_dim` the rows of a projection make.
    std::int64_t heads(const std::string& projection, std::int64_t head_dim) const {
        const std::int64_t rows = size(projection, 2, 0);
        if (head_dim > 0 && rows > 0 && rows % head_dim == 0) return rows / head_dim;
        throw Error(fmt::format("the {} rows of \"{}\" cannot be split into heads of {}", rows, projection, head_dim))
            .at(name_)
            .note("the length of q_norm.weight is the size of a head");
    }

  private:
    const TensorIndex& index_;
    const std::string& name_;
};

}  // namespace

TensorIndex::TensorIndex(const std::vector<std::unique_ptr<TensorFile>>& files) {
    for (const std::unique_ptr<TensorFile>& file : files) {
        for (const StoredTensor& tensor : file->tensors()) {
            const std::string name(bare_name(tensor.name));
            if (is_buffer(name)) continue;
            const auto [other, is_new] = tensors_.emplace(name, LocatedTensor{file.get(), tensor});
            if (is_new) continue;
            throw Error(fmt::format("there are two tensors \"{}\"", printable(name)))
                .at(file->name())
                .note(fmt::format("the other one is \"{}\" in {}", printable(other->second.tensor.name),
                                  other->second.file->name()));
        }
    }
}

const LocatedTensor* TensorIndex::find(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
}

ModelConfig config_from_tensors(const TensorIndex& index, const std::string& name) {
    const SizeReader read(index, name);
    ModelConfig config;
    config.vocab_size = read.size(embedding_name, 2, 0);
    config.hidden_size = read.size(embedding_name, 2, 1);
    config.num_hidden_layers = 0;
    for (const auto& [tensor, located] : index.all()) {
        config.num_hidden_layers = std::max(config.num_hidden_layers, layer_of(tensor).value_or(-1) + 1);
    }
    if (config.num_hidden_layers > static_cast<std::int64_t>(index.all().size())) {
        throw Error(fmt::format("a tensor belongs to layer {}, but there are only {} tensors",
                                config.num_hidden_layers - 1, index.all().size()))
            .at(name);
    }
    const std::string layer = "model.layers.0.";
    config.head_dim = read.size(layer + "self_attn.q_norm.weight", 1, 0);
    config.num_attention_heads = read.heads(layer + "self_attn.q_proj.weight", config.head_dim);
    config.num_key_value_heads = read.heads(layer + "self_attn.k_proj.weight", config.head_dim);
    config.use_moe = read.has(layer + "mlp.gate.weight");
    if (!config.use_moe) {
        config.intermediate_size = read.size(layer + "mlp.gate_proj.weight", 2, 0);
    } else {
        config.num_experts = read.size(layer + "mlp.gate.weight", 2, 0);
        const std::string stacked = layer + "mlp.experts.down_proj";
        config.moe_intermediate_size =
            read.has(stacked) ? read.size(stacked, 3, 2) : read.size(layer + "mlp.experts.0.gate_proj.weight", 2, 0);
    }
    config.tie_word_embeddings = head_equals_embedding(index);
    return config;
}

bool head_equals_embedding(const TensorIndex& index) {
    const LocatedTensor* const head = index.find(head_name);
    const LocatedTensor* const embedding = index.find(embedding_name);
    if (head == nullptr || embedding == nullptr) return true;
    if (head->tensor.shape != embedding->tensor.shape) return false;
    const StoredTensor& a = head->tensor;
    const StoredTensor& b = embedding->tensor;
    if (a.type == b.type && a.row_major() && b.row_major()) {
        const std::size_t bytes = a.count() * stored_type_size(a.type);
        return bytes == 0 || std::memcmp(head->file->data(a), embedding->file->data(b), bytes) == 0;
    }
    return head->file->to_f32(a) == embedding->file->to_f32(b);
}

}  // namespace minimind
