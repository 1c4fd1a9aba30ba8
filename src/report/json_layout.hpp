// JSON as people like to read it: each row of a table stands on one line, and so does each list of plain values.
//
//   {
//     "title": "Block 0",
//     "rows": [
//       {"stage": "block input", "shape": [2, 6, 64], "mean_rms": 0.0199},
//       ...
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace minimind {

/// NaN and infinity, which JSON has not, become null; text that is no UTF-8 is repaired with U+FFFD.
std::string laid_out(const nlohmann::ordered_json& value);

}  // namespace minimind
