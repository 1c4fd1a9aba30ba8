// The parameter table: every parameter, where they are, what one token costs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "console/language.hpp"
#include "report/parameter_counts.hpp"

namespace minimind {

/// What the report is about. The config must be completed; `keys` is how many keys attention's products are counted for.
struct ParameterReport {
    ModelConfig config;
    std::int64_t keys = 0;
    Language language = Language::en;

    std::string text() const;      // tables under headings, counts in full with commas
    std::string markdown() const;  // the same as Markdown
    std::string csv() const;       // one line a parameter: name, shape, count, share, bytes
    nlohmann::ordered_json json() const;
};

/// Why the model's exact count is not the 63.88M that is quoted for it; "" for every model of another size.
std::string quoted_count_note(const ParameterCounts& counts, Language language);

}  // namespace minimind
