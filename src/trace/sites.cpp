#include "trace/sites.hpp"

#include "core/error.hpp"

namespace minimind {

namespace {

bool occurs(Occurs occurs, const PassKind& kind) {
    switch (occurs) {
        case Occurs::always:
            return true;
        case Occurs::dense:
            return kind.experts == 0;
        case Occurs::moe:
            return kind.experts > 0;
        case Occurs::cached:
            return kind.cached;
        case Occurs::with_labels:
            return kind.with_labels;
    }
    return false;
}

bool in_layer(const PointInfo& point) {
    return point.name.find("{i}") != std::string_view::npos;
}

void add_layer(std::vector<Site>& sites, int layer, const PassKind& kind) {
    for (const PointInfo& point : point_table()) {
        if (!in_layer(point) || !occurs(point.occurs, kind)) continue;
        if (point.point != Point::expert) {
            sites.push_back({point.point, layer, -1});
            continue;
        }
        for (int expert = 0; expert < kind.experts; ++expert) sites.push_back({point.point, layer, expert});
    }
}

/// The last part of a stage's name, and its whole name: what a user may have meant.
std::vector<std::string> candidates(const std::vector<Site>& sites) {
    std::vector<std::string> names;
    for (const Site site : sites) {
        const std::string name = site_name(site);
        names.push_back(name.substr(name.rfind('.') + 1));
        names.push_back(name);
    }
    return names;
}

}  // namespace

std::vector<Site> sites_of(const PassKind& kind) {
    std::vector<Site> sites;
    bool layers_added = false;
    for (const PointInfo& point : point_table()) {
        if (in_layer(point)) {
            if (layers_added) continue;
            for (int layer = 0; layer < kind.layers; ++layer) add_layer(sites, layer, kind);
            layers_added = true;
        } else if (occurs(point.occurs, kind)) {
            sites.push_back({point.point, -1, -1});
        }
    }
    return sites;
}

std::vector<Site> sites_named(const std::string& pattern, const std::vector<Site>& sites, const std::string& where) {
    std::vector<Site> named;
    for (const Site site : sites) {
        if (matches(pattern, site)) named.push_back(site);
    }
    if (!named.empty()) return named;

    Error error("no stage of this forward pass is called '" + pattern + "'");
    error.at(where);
    const std::string nearest = nearest_name(pattern, candidates(sites));
    if (!nearest.empty()) error.help("did you mean " + nearest + "?");
    throw error.help("`minimind hooks` lists all stages; * stands for any characters");
}

}  // namespace minimind
