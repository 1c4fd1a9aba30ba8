#include <fmt/core.h>

#include "core/error.hpp"
#include "io/checkpoint.hpp"
#include "io/hf_config.hpp"
#include "io/output_file.hpp"
#include "io/safetensors.hpp"

namespace minimind {

namespace {

void refuse_overwriting(const std::filesystem::path& directory) {
    for (const char* const name :
         {"config.json", "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin"}) {
        std::error_code ignored;
        if (!std::filesystem::exists(directory / name, ignored)) continue;
        throw Error("the directory already holds a checkpoint")
            .at((directory / name).string())
            .help("give another directory, or overwrite it with --force");
    }
}

}  // namespace

void save_checkpoint(const std::filesystem::path& directory, const ModelConfig& config, std::string_view model_type,
                     const ParameterData& data, bool force) {
    const std::string config_text = hf_config_text(config, model_type);  // refuses before anything is written
    if (!force) refuse_overwriting(directory);
    std::error_code failure;
    std::filesystem::create_directories(directory, failure);
    if (failure) {
        throw Error("the directory cannot be made").at(directory.string()).note(failure.message()).exit_code(1);
    }
    SafetensorsWriter weights(directory / "model.safetensors", {{"format", "pt"}});
    for (const ParameterInfo& parameter : parameter_list(config)) {
        weights.add(parameter.name, parameter.shape, {data(parameter), static_cast<std::size_t>(parameter.count())});
    }
    weights.finish();
    write_file(directory / "config.json", config_text);
}

}  // namespace minimind
