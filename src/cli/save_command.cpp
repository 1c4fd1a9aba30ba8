// `minimind save`: writes a checkpoint that transformers loads.
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "cli/commands.hpp"
#include "console/model_loading.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/checkpoint.hpp"

namespace minimind {

int save_command(const std::vector<std::string>& words) {
    std::string directory;
    std::string model_type = "minimind";
    bool force = false;
    ModelFlags model_flags;
    ConsoleFlags console;
    Arguments args("save", "Writes config.json and model.safetensors (float32), which transformers loads.");
    args.positional("DIR", directory, "where to; it is made if it is missing");
    args.choice("--model_type", model_type, {"minimind", "qwen3", "qwen3_moe"},
                "qwen3 or qwen3_moe: plain transformers runs it, without MiniMind's code");
    args.flag("--force", force, "replace a checkpoint that is there");
    model_flags.add_sizes(args);
    model_flags.add_weights(args);
    model_flags.add_checkpoint(args);
    console.add(args);
    args.example("minimind save /tmp/tiny --model_type qwen3", "the fresh tiny model, for Qwen3ForCausalLM");
    args.example("minimind save hf --checkpoint out/full_sft_768.pth", "a .pth as a Hugging Face directory");
    if (!args.parse(words)) return 0;

    if (directory.empty()) throw Error("a checkpoint needs the name of a directory").at("DIR \"\"");
    if (std::filesystem::exists(directory) && !std::filesystem::is_directory(directory)) {
        throw Error("a checkpoint is a directory, and there is a file of that name").at(directory);
    }
    InputFlags no_input;
    const LoadedModel loaded = load_model(model_flags, no_input, console);
    const ModelConfig& config = loaded.model.config();
    std::map<std::string, const float*> values;
    const std::vector<ParameterInfo> list = parameter_list(config);
    const std::vector<const arma::fmat*> parameters = loaded.model.parameters();
    for (std::size_t i = 0; i < list.size(); ++i) values[list[i].name] = parameters[i]->memptr();
    save_checkpoint(
        directory, config, model_type, [&](const ParameterInfo& parameter) { return values.at(parameter.name); },
        force);
    fmt::print("{}: {} parameters as {}\n", directory, with_commas(parameter_count(config)), model_type);
    return 0;
}

}  // namespace minimind
