#include "rope_yarn/rope_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/token_rows.hpp"
#include "core/error.hpp"

namespace minimind {

std::vector<std::int64_t> positions_of(const std::optional<std::string>& flag, const ModelConfig& config) {
    const std::int64_t last = config.max_position_embeddings - 1;
    if (flag) {
        const TokenIds rows = read_rows("--positions", *flag);
        const std::string rule = fmt::format("max_position_embeddings is {}: positions are 0 to {}", last + 1, last);
        check_values(rows, {"position", last + 1, 0, rule}, flag_with_value("--positions", *flag));
        return rows.ids;
    }
    std::vector<std::int64_t> positions = {0};
    for (std::int64_t position = 1; position < last; position *= 2) positions.push_back(position);
    if (last > 0) positions.push_back(last);
    return positions;
}

std::int64_t tokens_to_shift(const ModelConfig& config) {
    return std::min<std::int64_t>(8, (config.max_position_embeddings + 1) / 2);
}

std::vector<std::int64_t> shifts_of(const std::optional<std::int64_t>& flag, const ModelConfig& config) {
    const std::int64_t tokens = tokens_to_shift(config);
    const std::int64_t largest = config.max_position_embeddings - tokens;
    const std::int64_t shift = flag.value_or(std::min<std::int64_t>(10000, largest));
    if (shift > largest) {
        throw Error(fmt::format("{} tokens from position {} on do not fit in the {} positions of the model", tokens,
                                shift, config.max_position_embeddings))
            .at(fmt::format("--shift {}", shift))
            .help(fmt::format("use at most {}, or a larger --max_position_embeddings", largest));
    }
    std::vector<std::int64_t> shifts;
    for (std::int64_t power = 1; power < shift; power *= 10) shifts.push_back(power);
    shifts.push_back(shift);
    return shifts;
}

}  // namespace minimind
