#include "io/checkpoint.hpp"

#include <fmt/core.h>

#include "core/error.hpp"
#include "io/hf_config.hpp"

namespace minimind {

namespace {

/// The config of a checkpoint without a config.json.
ModelConfig derived_config(const TensorIndex& index, const std::string& name, const ConfigOverrides& flags) {
    ModelConfig config = config_from_tensors(index, name);
    flags.apply_to(config);
    return completed(config, [&](std::string_view field, std::string_view value) {
        return flags.has(field) ? as_flag(field, value)
                                : fmt::format("{}: {} {} (from the tensors)", name, field, value);
    });
}

}  // namespace

Checkpoint::Checkpoint(const std::filesystem::path& path, const ConfigOverrides& flags)
    : files_(open_checkpoint_files(path)) {
    const TensorIndex index(files_.weights);
    const std::string name = path.string();
    if (files_.config.empty()) {
        config_ = derived_config(index, name, flags);
    } else {
        const HfConfig config = read_hf_config(files_.config, flags);
        config_ = config.config;
        model_type_ = config.model_type;
    }
    parameters_ = match_parameters(index, config_, name);
    if (config_.tie_word_embeddings && !head_equals_embedding(index)) {
        throw Error("lm_head.weight differs from model.embed_tokens.weight, but the config ties them")
            .at(name)
            .note("with tie_word_embeddings both are one table, and the head's own weights would be ignored")
            .help("set tie_word_embeddings to false (--tie_word_embeddings 0) to use them");
    }
}

const float* Checkpoint::data(const ParameterInfo& parameter) {
    const auto found = parameters_.find(parameter.name);
    if (found == parameters_.end()) throw Error(fmt::format("the model has no parameter \"{}\"", parameter.name));
    const LocatedTensor& located = found->second;
    const float* const in_place = located.file->f32_in_place(located.tensor);
    if (in_place != nullptr) return in_place;
    std::vector<float>& copy = converted_[parameter.name];
    if (copy.empty()) copy = located.file->to_f32(located.tensor);
    return copy.data();
}

}  // namespace minimind
