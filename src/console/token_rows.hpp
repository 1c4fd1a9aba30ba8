// Rows of integers as users write them: token ids, labels, a mask.
//
//   1,2,3            one row                       1,2,3;4,5,6      two rows
//   [[1,2],[3,4]]    JSON: a list, or a list of lists of one length
//   ids.json         a file with such a JSON text  ids.npy          a NumPy array of integers with one or two axes
#pragma once

#include <cstdint>
#include <string>

#include "model/minimind_model.hpp"

namespace minimind {

/// Reads `value`, the value of `flag`. Throws Error, at the flag, for what is no number (with its place, "[row, column]"
/// counted from 0), rows of different lengths, no values at all, or a file that cannot be read.
TokenIds read_rows(const std::string& flag, const std::string& value);

/// Throws Error unless every value is in [0, size), or is `also_allowed`. `meaning`: "token id"; `rule`: why.
struct AllowedValues {
    std::string meaning;
    std::int64_t size = 0;
    std::int64_t also_allowed = 0;
    std::string rule;
};
void check_values(const TokenIds& rows, const AllowedValues& allowed, const std::string& where);

/// "--input_ids 1,2,3", a long value cut.
std::string flag_with_value(const std::string& flag, const std::string& value);

}  // namespace minimind
