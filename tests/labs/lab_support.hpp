// What every lab must keep to: --explain adds lines and changes none, and JSON holds what the text shows. For labs that
// print the same every time, which those that measure time do not.
#pragma once

#include <string>
#include <vector>

namespace minimind {

using CommandLine = std::vector<std::string>;  // {"trace_block_shapes", "--seq_len", "5"}

/// What the lab prints. CHECKs that it ends well and complains about nothing.
std::string lab_text(const CommandLine& words);

/// --explain adds lines that begin with "  » " to the end of every section, in English and Chinese, and changes nothing
/// else; without it there are none. The JSON's "explanation" is the same text.
void check_explanations(const CommandLine& words);

/// --format json has the sections of the text, in their order, and in each section every number that the text has there.
/// A line "key=value" is the value of that key among "values", if there is one: equal, or rounded to what is printed.
void check_json_holds_text(const CommandLine& words);

}  // namespace minimind
