#include "trace/interventions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "trace/statistics.hpp"

namespace minimind {

void Ablation::add(const std::vector<Site>& sites, const std::string& where) {
    for (const Site site : sites) {
        if (info(site.point).editable) continue;
        throw Error(site_name(site) + " cannot be ablated")
            .at(where)
            .note("it is a view of another stage, an index, a rotary table, a label or a loss")
            .help("`minimind hooks` says which stages can be edited");
    }
    sites_.insert(sites_.end(), sites.begin(), sites.end());
}

bool Ablation::edits(Site site) const {
    return std::find(sites_.begin(), sites_.end(), site) != sites_.end();
}

void NanWatch::observe(Site site, const TensorView& tensor) {
    const Statistics statistics = statistics_of(tensor);
    if (statistics.nan_count == 0) return;
    throw Error(fmt::format("{} has {} NaN among {} values", site_name(site), statistics.nan_count, statistics.count))
        .note("it is the first stage that has one: " + std::string(info(site.point).formula))
        .exit_code(1);
}

bool HookList::wants(Site site) const {
    return std::any_of(hooks_.begin(), hooks_.end(), [&](const Hook* hook) { return hook->wants(site); });
}

void HookList::observe(Site site, const TensorView& tensor) {
    for (Hook* hook : hooks_) {
        if (hook->wants(site)) hook->observe(site, tensor);
    }
}

bool HookList::edits(Site site) const {
    return std::any_of(hooks_.begin(), hooks_.end(), [&](const Hook* hook) { return hook->edits(site); });
}

void HookList::edit(Site site, arma::fmat& values) {
    for (Hook* hook : hooks_) {
        if (hook->edits(site)) hook->edit(site, values);
    }
}

}  // namespace minimind
