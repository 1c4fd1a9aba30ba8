#include "model/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "model/config_checks.hpp"

namespace minimind {

const std::vector<std::string>& preset_names() {
    static const std::vector<std::string> names = {"tiny", "minimind3", "minimind3-moe"};
    return names;
}

ModelConfig preset(std::string_view name) {
    ModelConfig config;
    if (name == "minimind3") return config;
    if (name == "minimind3-moe") {
        config.use_moe = true;
        return config;
    }
    if (name == "tiny") {
        config.hidden_size = 64;
        config.num_hidden_layers = 2;
        config.num_attention_heads = 4;
        config.num_key_value_heads = 2;
        config.max_position_embeddings = 128;
        return config;
    }
    Error error(fmt::format("unknown preset '{}'", name));
    error.at(as_flag("preset", name)).note(fmt::format("known: {}", fmt::join(preset_names(), ", ")));
    const std::string nearest = nearest_name(name, preset_names());
    if (!nearest.empty()) error.help(fmt::format("did you mean '{}'?", nearest));
    throw error;
}

std::string as_flag(std::string_view field, std::string_view value) {
    return fmt::format("--{} {}", field, value);
}

ModelConfig completed(ModelConfig config, const FieldName& field_name) {
    check_fields(config, field_name);

    if (config.head_dim == 0) config.head_dim = config.hidden_size / config.num_attention_heads;
    if (config.intermediate_size == 0) {
        const double hidden = static_cast<double>(config.hidden_size);
        config.intermediate_size = static_cast<std::int64_t>(std::ceil(hidden * std::numbers::pi / 64.0)) * 64;
        if (config.intermediate_size > largest_size) {
            throw Error("hidden_size is too large")
                .at(field_name("hidden_size", fmt::format("{}", config.hidden_size)))
                .note(
                    fmt::format("intermediate_size = ceil(hidden_size * pi / 64) * 64 would be {}, more than 2^31 - 1",
                                config.intermediate_size));
        }
    }
    if (config.moe_intermediate_size == 0) config.moe_intermediate_size = config.intermediate_size;
    check_totals(config, field_name);
    return config;
}

}  // namespace minimind
