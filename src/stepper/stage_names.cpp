// How a learner names a stage: in full, by alias, or by a dotted end of the name, in the current layer first.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "stepper/command.hpp"

namespace minimind {

namespace {

std::vector<Site> matching(const SessionState& session, const std::string& name) {
    std::vector<Site> found;
    for (const Stage& stage : session.recording->stages()) {
        if (matches(name, stage.site())) found.push_back(stage.site());
    }
    return found;
}

/// A name that is the whole of a stage's last part ("mlp") means that stage, not those below it; a stage of the current
/// layer goes before one outside the blocks ("gate"), and that before those of other layers.
std::vector<Site> nearest_layer(const SessionState& session, const std::vector<Site>& found) {
    for (const int layer : {session.layer, -1}) {
        std::vector<Site> here;
        std::ranges::copy_if(found, std::back_inserter(here), [&](Site site) { return site.layer == layer; });
        if (!here.empty()) return here;
    }
    return found;
}

/// The last part of a stage's name, and its whole name: what may have been meant.
std::string nearest(const SessionState& session, const std::string& name) {
    std::vector<std::string> known;
    for (const Stage& stage : session.recording->stages()) {
        const std::string full = stage.name();
        known.push_back(full.substr(full.rfind('.') + 1));
        known.push_back(full);
    }
    return nearest_name(name, known);
}

/// A stage that other passes have: why it is not in this one.
void note_if_elsewhere(const SessionState& session, const std::string& name, Error& error) {
    for (const PointInfo& point : point_table()) {
        const Site site{point.point, point.name.find("{i}") == std::string_view::npos ? -1 : session.layer};
        const bool is_expert = point.point == Point::expert && name.find("experts") != std::string::npos;
        if (!is_expert && !matches(name, site)) continue;
        switch (point.occurs) {
            case Occurs::dense:
                error.note("only a dense MLP has it, and this model has experts").help("list");
                return;
            case Occurs::moe:
                if (session.config().use_moe) {
                    error.note("no token of this pass chose that expert").help("print mlp.topk_idx");
                } else {
                    error.note("only a model with experts has it").help("start with --use_moe 1");
                }
                return;
            case Occurs::cached:
                error.note("only a pass on a cache has it").help("start with --past N");
                return;
            case Occurs::with_labels:
                error.note("only a pass with labels has it").help("start with --labels IDS");
                return;
            case Occurs::always:
                break;
        }
    }
}

}  // namespace

Site site_named(const SessionState& session, const std::string& name) {
    const std::vector<Site> found = nearest_layer(session, matching(session, name));
    if (found.size() == 1) return found.front();
    if (found.empty()) {
        Error error("no stage of this pass is called '" + name + "'");
        error.at(name);
        note_if_elsewhere(session, name, error);
        const std::string near = nearest(session, name);
        if (!near.empty()) error.help("did you mean " + near + "?");
        throw error.help("`list` shows the stages of the layer");
    }
    Error error(fmt::format("'{}' could be {} stages", name, found.size()));
    error.at(name);
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 4); ++i) error.note(site_name(found[i]));
    throw error.help("give more of the name");
}

std::pair<std::string, std::string> first_argument(const std::string& arguments) {
    int depth = 0;
    std::size_t end = arguments.find_first_not_of(' ');
    const std::size_t begin = std::min(end, arguments.size());
    for (end = begin; end < arguments.size(); ++end) {
        if (arguments[end] == '[') ++depth;
        if (arguments[end] == ']') --depth;
        const bool opens_later = arguments.find_first_not_of(' ', end) != std::string::npos &&
                                 arguments[arguments.find_first_not_of(' ', end)] == '[';
        if (arguments[end] == ' ' && depth <= 0 && !opens_later) break;
    }
    const std::size_t rest = std::min(arguments.find_first_not_of(' ', end), arguments.size());
    return {arguments.substr(begin, end - begin), arguments.substr(rest)};
}

StageArgument stage_argument(const SessionState& session, const std::string& argument) {
    const std::size_t bracket = std::min(argument.find('['), argument.size());
    std::string name = argument.substr(0, bracket);
    while (name.ends_with(' ')) name.pop_back();
    StageArgument result{session.stage().site(), {}, argument};
    if (!name.empty()) result.site = site_named(session, name);
    result.slice = parse_slice(argument.substr(bracket));
    return result;
}

}  // namespace minimind
