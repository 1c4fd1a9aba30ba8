// What a wider, a deeper, a wordier and an untied model cost, beside the model that they start from.
#pragma once

#include "console/table.hpp"
#include "model/config.hpp"
#include "report/lab_output.hpp"

namespace minimind {

/// The course's format, or JSON. `base` is not completed yet, so that what follows from a size follows from the new one.
void show_comparison(LabOutput& out, const ModelConfig& base);

/// The same for --format table, csv and markdown.
Table comparison_table(const ModelConfig& base);

}  // namespace minimind
