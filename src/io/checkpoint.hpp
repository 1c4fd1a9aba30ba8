// Weights that somebody trained, in any of the forms in which they are passed on:
//
//   a directory   config.json with model.safetensors, or with shards that model.safetensors.index.json lists, or with
//                 pytorch_model.bin (or its shards)
//   a file        .safetensors or .bin, with the config.json beside it if there is one; .pth
//
// A .pth has no config: the sizes follow from the tensors, and what no tensor shows (num_experts_per_tok, rope_theta,
// rms_norm_eps, max_position_embeddings) has MiniMind's defaults unless a flag says otherwise.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/config_fields.hpp"
#include "io/tensor_file.hpp"
#include "model/config.hpp"
#include "model/parameters.hpp"

namespace minimind {

/// The weight files of a checkpoint, and its config.json if it has one.
struct CheckpointFiles {
    std::vector<std::unique_ptr<TensorFile>> weights;
    std::filesystem::path config;  // empty if there is none
};

/// Finds and opens the files. The config is not read, and no name or shape is checked: fit to look into any checkpoint.
/// Throws Error.
CheckpointFiles open_checkpoint_files(const std::filesystem::path& path);

/// A tensor of a checkpoint and the file that it is in.
struct LocatedTensor {
    TensorFile* file = nullptr;
    StoredTensor tensor;
};

/// Tensors of one or more files by name. `module.` and `_orig_mod.`, which data-parallel and compiled models put before
/// their names, are dropped; buffers that are no weights are left out.
class TensorIndex {
  public:
    /// Throws Error if two tensors have one name.
    explicit TensorIndex(const std::vector<std::unique_ptr<TensorFile>>& files);

    /// The tensor of that name, nullptr if there is none.
    const LocatedTensor* find(const std::string& name) const;
    const std::map<std::string, LocatedTensor>& all() const { return tensors_; }

  private:
    std::map<std::string, LocatedTensor> tensors_;
};

/// The sizes of a model as its tensors show them; the other fields are the defaults. Throws Error if the tensors are not
/// those of a MiniMind or Qwen3 model; `name` is the file's, for messages.
ModelConfig config_from_tensors(const TensorIndex& index, const std::string& name);

/// Whether the head's table is the embedding's: the same values, if there is a head at all.
bool head_equals_embedding(const TensorIndex& index);

/// Finds what each parameter of the model is in the files: a tensor of its own name, or a part of a stacked one (all
/// experts of a layer in `mlp.experts.gate_up_proj` [E, 2I, H] and `mlp.experts.down_proj` [E, H, I], as transformers 5
/// writes them). Throws Error that lists missing and unexpected names and wrong shapes as load_state_dict does.
std::unordered_map<std::string, LocatedTensor> match_parameters(const TensorIndex& index, const ModelConfig& config,
                                                                const std::string& name);

class Checkpoint {
  public:
    /// Opens the files and checks that they hold exactly the parameters of the model. The weights are not read yet.
    /// `flags` overrides fields of the config. Throws Error.
    explicit Checkpoint(const std::filesystem::path& path, const ConfigOverrides& flags = {});

    const ModelConfig& config() const { return config_; }
    /// "minimind", "qwen3" or "qwen3_moe".
    const std::string& model_type() const { return model_type_; }
    const std::vector<std::unique_ptr<TensorFile>>& files() const { return files_.weights; }

    /// The values of a parameter of parameter_list(config()), row-major: the mapped file's own bytes if they are
    /// float32, else a converted copy. The memory belongs to this object.
    const float* data(const ParameterInfo& parameter);

  private:
    CheckpointFiles files_;
    ModelConfig config_;
    std::string model_type_ = "minimind";
    std::unordered_map<std::string, LocatedTensor> parameters_;
    std::unordered_map<std::string, std::vector<float>> converted_;
};

/// The values of a parameter, row-major.
using ParameterData = std::function<const float*(const ParameterInfo&)>;

/// Writes config.json and model.safetensors (float32), which transformers loads, into a directory; it is made if it is
/// missing. Throws Error if the directory already holds a checkpoint, unless `force`; with exit code 1 if writing fails.
void save_checkpoint(const std::filesystem::path& directory, const ModelConfig& config, std::string_view model_type,
                     const ParameterData& data, bool force = false);

}  // namespace minimind
