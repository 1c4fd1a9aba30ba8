// Dumps of a trace, to compare with PyTorch: one directory a forward pass, step000, step001, ... while generating.
//
//   step000/trace.json            the pass: config, weight checksum, tokens, and every stage with shape and statistics
//   step000/tensors.safetensors   the values: key = hook name, F32 or I64, row-major
//   step000/NAME.npy              the same one by one, if asked for
#pragma once

#include <filesystem>

#include "report/trace_report.hpp"

namespace minimind {

/// Throws Error if the directory already holds a dump, unless `force`: then that dump's files are removed, and no others.
void prepare_dump(const std::filesystem::path& directory, bool force);

/// Writes one pass into directory/stepNNN. All records must have their values. Throws Error (exit code 1) if a file
/// cannot be written.
void write_dump(const std::filesystem::path& directory, int step, const TracedPass& pass, bool with_npy);

}  // namespace minimind
