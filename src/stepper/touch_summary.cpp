// What a touched pass shows, in three sentences that are computed from it.
#include <fmt/format.h>

#include <algorithm>

#include "console/cells.hpp"
#include "stepper/touch.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

/// Does another position of the touched row change?
bool reaches_others(const TouchedStage& stage, const Touch& touch) {
    if (!stage.has_rows) return false;
    const std::vector<Cell>& row = stage.cells[static_cast<std::size_t>(touch.row)];
    const bool own = row[static_cast<std::size_t>(touch.position)] == Cell::changed;
    return std::ranges::count(row, Cell::changed) > (own ? 1 : 0);
}

/// Changed positions before the one that was touched.
bool reaches_back(const TouchedStage& stage, const Touch& touch) {
    if (!stage.has_rows) return false;
    const std::vector<Cell>& row = stage.cells[static_cast<std::size_t>(touch.row)];
    return std::find(row.begin(), row.begin() + touch.position, Cell::changed) != row.begin() + touch.position;
}

std::int64_t changed_elsewhere(const std::vector<TouchedStage>& stages, std::int64_t row) {
    std::int64_t count = 0;
    for (const TouchedStage& stage : stages) {
        if (!stage.has_rows) continue;
        for (std::size_t other = 0; other < stage.cells.size(); ++other) {
            if (static_cast<std::int64_t>(other) != row) count += std::ranges::count(stage.cells[other], Cell::changed);
        }
    }
    return count;
}

bool has_rounding(const std::vector<TouchedStage>& stages) {
    return std::ranges::any_of(stages, [](const TouchedStage& stage) {
        return std::ranges::any_of(stage.cells, [](const std::vector<Cell>& row) {
            return std::ranges::find(row, Cell::rounding) != row.end();
        });
    });
}

std::string name_with_layer(Site site) {
    return site.layer < 0 ? short_name(site) : fmt::format("layers.{}.{}", site.layer, short_name(site));
}

/// Where other positions of the row begin to change.
std::string spread(const std::vector<TouchedStage>& stages, const Touch& touch, Language language) {
    const auto reaches = [&](const TouchedStage& stage) { return reaches_others(stage, touch); };
    const auto first = std::ranges::find_if(stages, reaches);
    if (first == stages.end()) return text(language, "no other position changes", "没有波及别的位置");
    return fmt::format(
        fmt::runtime(text(language, "other positions change from {} on: only attention reads across positions",
                          "从 {} 起波及别的位置：只有注意力会跨位置读取")),
        name_with_layer(first->site));
}

/// Earlier positions: in the scores before the mask, and nowhere else. "" if there are none.
std::string reach_back(const std::vector<TouchedStage>& stages, const Touch& touch, Language language) {
    const auto reaches = [&](const TouchedStage& stage) { return reaches_back(stage, touch); };
    const auto first = std::ranges::find_if(stages, reaches);
    if (first == stages.end()) return "";
    const bool only_scores = std::ranges::all_of(
        stages, [&](const TouchedStage& stage) { return !reaches(stage) || stage.site.point == Point::scores; });
    const std::string sentence =
        only_scores ? text(language,
                           "{} changes before position {}, too: earlier queries meet the new key, and the mask then "
                           "hides it",
                           "{} 在位置 {} 之前也变了：更早的 query 也与新的 key 相乘，随后被 mask 遮住")
                    : text(language, "{} changes before position {}", "{} 在位置 {} 之前也变了");
    return fmt::format(fmt::runtime(sentence), name_with_layer(first->site), touch.position);
}

/// "" where there is one row only.
std::string other_rows(const std::vector<TouchedStage>& stages, const Touch& touch, Language language) {
    const bool has_others =
        std::ranges::any_of(stages, [](const TouchedStage& stage) { return stage.cells.size() > 1; });
    if (!has_others) return "";
    const std::int64_t changed = changed_elsewhere(stages, touch.row);
    if (changed > 0) {
        return fmt::format(fmt::runtime(text(language, "{} cells of other rows change", "其他行有 {} 格变了")),
                           changed);
    }
    return has_rounding(stages)
               ? text(language, "the other rows stay as they are, within rounding", "其他行在舍入误差之内不变")
               : text(language, "the other rows stay as they are, bit for bit", "其他行每一位都不变");
}

}  // namespace

std::string touch_summary(const std::vector<TouchedStage>& stages, const Touch& touch, Language language,
                          std::size_t width) {
    std::string result;
    for (const std::string& sentence :
         {spread(stages, touch, language), reach_back(stages, touch, language), other_rows(stages, touch, language)}) {
        if (sentence.empty()) continue;
        const std::vector<std::string> lines = wrap(sentence, width - 2);
        for (std::size_t i = 0; i < lines.size(); ++i) result += (i == 0 ? "- " : "  ") + lines[i] + "\n";
    }
    return result;
}

}  // namespace minimind
