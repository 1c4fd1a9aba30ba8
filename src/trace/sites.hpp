// All stages that a forward pass of a model can have, in order of time, and the choice of some of them by name.
#pragma once

#include <string>
#include <vector>

#include "trace/point.hpp"

namespace minimind {

/// What decides which stages a forward pass has.
struct PassKind {
    int layers = 0;
    int experts = 0;  // 0: dense
    bool cached = false;
    bool with_labels = false;
};

/// In order of time, with a site for every expert (of which only those are announced that got a token).
std::vector<Site> sites_of(const PassKind& kind);

/// The sites that a pattern names. Throws Error, at `where` and with the nearest name, if there is none.
std::vector<Site> sites_named(const std::string& pattern, const std::vector<Site>& sites, const std::string& where);

}  // namespace minimind
