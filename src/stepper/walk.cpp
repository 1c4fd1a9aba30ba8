#include "stepper/walk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/numbers.hpp"
#include "core/error.hpp"

namespace minimind {

namespace {

constexpr const char* how_to_break =
    "break STAGE, break STAGE if nan, break STAGE if max>5 (or min, mean, std, rms; >, <)";

double measured(const Statistics& statistics, const std::string& measure) {
    if (measure == "max") return statistics.max;
    if (measure == "min") return statistics.min;
    if (measure == "mean") return statistics.mean;
    if (measure == "std") return statistics.std;
    return statistics.rms;
}

std::string without_spaces(const std::string& text) {
    std::string result;
    std::ranges::copy_if(text, std::back_inserter(result), [](char c) { return c != ' '; });
    return result;
}

void read_condition(Breakpoint& breakpoint, const std::string& condition) {
    using Condition = Breakpoint::Condition;
    if (condition == "nan" || condition == "inf") {
        breakpoint.condition = condition == "nan" ? Condition::nan : Condition::inf;
        return;
    }
    const std::size_t sign = std::min(condition.find_first_of("<>"), condition.size());
    breakpoint.measure = condition.substr(0, sign);
    const std::vector<std::string> measures = {"max", "min", "mean", "std", "rms"};
    if (sign == condition.size() || std::ranges::find(measures, breakpoint.measure) == measures.end()) {
        throw Error("'" + condition + "' is no condition").at("if " + condition).help(how_to_break);
    }
    breakpoint.condition = condition[sign] == '>' ? Condition::above : Condition::below;
    try {
        breakpoint.bound = read_real(condition.substr(sign + 1));
    } catch (Error& error) {
        throw error.at("if " + condition).help(how_to_break);
    }
}

}  // namespace

StagePlace place_of(const Recording& recording, std::size_t at) {
    const std::vector<Stage>& stages = recording.stages();
    const int layer = stages[at].site().layer;
    std::size_t first = at;
    while (first > 0 && stages[first - 1].site().layer == layer) --first;
    std::size_t last = at;
    while (last + 1 < stages.size() && stages[last + 1].site().layer == layer) ++last;
    return {layer, layer < 0 && first == 0, at - first + 1, last - first + 1};
}

std::string group_text(const StagePlace& place, Language language) {
    if (place.layer >= 0) return fmt::format(fmt::runtime(text(language, "layer {}", "第 {} 层")), place.layer);
    return place.is_before ? text(language, "before the blocks", "各层之前")
                           : text(language, "after the blocks", "各层之后");
}

std::string short_name(Site site, int layer) {
    const std::string name = site_name(site);
    const std::string prefix = fmt::format("model.layers.{}.", layer);
    return site.layer == layer && name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

bool Breakpoint::stops_at(const Stage& stage) const {
    if (!matches(pattern, stage.site())) return false;
    const Statistics& statistics = stage.record.statistics;
    switch (condition) {
        case Condition::always:
            return true;
        case Condition::nan:
            return statistics.nan_count > 0;
        case Condition::inf:
            return statistics.pos_inf_count + statistics.neg_inf_count > 0;
        case Condition::above:
            return measured(statistics, measure) > bound;
        case Condition::below:
            return measured(statistics, measure) < bound;
    }
    return false;
}

std::string Breakpoint::text() const {
    switch (condition) {
        case Condition::always:
            return pattern;
        case Condition::nan:
            return pattern + " if nan";
        case Condition::inf:
            return pattern + " if inf";
        case Condition::above:
            return fmt::format("{} if {}>{}", pattern, measure, bound);
        case Condition::below:
            return fmt::format("{} if {}<{}", pattern, measure, bound);
    }
    return pattern;
}

Breakpoint parse_breakpoint(const SessionState& session, const std::string& text) {
    Breakpoint breakpoint;
    const std::size_t space = text.find(' ');
    breakpoint.pattern = text.substr(0, space);
    const std::vector<Stage>& stages = session.recording->stages();
    const bool is_known =
        std::ranges::any_of(stages, [&](const Stage& stage) { return matches(breakpoint.pattern, stage.site()); });
    if (!is_known) site_named(session, breakpoint.pattern);  // says what is wrong
    if (space == std::string::npos) return breakpoint;
    const std::string condition = without_spaces(text.substr(space));
    if (!condition.starts_with("if")) throw Error("a condition begins with 'if'").at(text).help(how_to_break);
    read_condition(breakpoint, condition.substr(2));
    return breakpoint;
}

}  // namespace minimind
