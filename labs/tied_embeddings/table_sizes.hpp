// What tying saves: parameters, and bytes in the files that people pass on.
#pragma once

#include <optional>
#include <string>

#include "model/config.hpp"
#include "report/lab_output.hpp"

namespace minimind {

/// The parameters of the model and of the two presets, tied and untied, each table [V, H].
void show_table_counts(LabOutput& out, const ModelConfig& config);

/// Bytes of the weights as a file holds them: the table once, or under both of its names.
void show_table_in_files(LabOutput& out, const ModelConfig& config);

/// Whether the files of a checkpoint hold the head as a tensor of its own. Throws Error if they cannot be read.
void show_table_in_checkpoint(LabOutput& out, const std::string& path);

}  // namespace minimind
