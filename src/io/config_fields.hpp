// The fields of a ModelConfig by name, as config.json and the flags spell them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.hpp"

namespace minimind {

template <typename Value>
struct ConfigField {
    std::string_view name;
    Value ModelConfig::*member;
};

std::span<const ConfigField<std::int64_t>> integer_fields();
std::span<const ConfigField<double>> number_fields();
std::span<const ConfigField<bool>> truth_fields();
std::span<const ConfigField<std::string>> text_fields();

/// Values that take the place of those in a config file: the flags that a user typed.
struct ConfigOverrides {
    ModelConfig values;
    std::vector<std::string> fields;  // the names of the fields to take from `values`

    bool has(std::string_view field) const;
    /// Copies those fields, and no other, into `config`. Precondition: the names are names of fields.
    void apply_to(ModelConfig& config) const;
};

/// Every field of a config as an override: the config takes the place of what a file says.
ConfigOverrides all_fields(const ModelConfig& config);

}  // namespace minimind
