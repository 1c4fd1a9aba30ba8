#include "stepper/stage_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace minimind {

std::vector<StageParameter> parameters_of(const CausalLm& model, Site site) {
    const std::vector<ParameterInfo> list = parameter_list(model.config());
    const std::vector<const arma::fmat*> values = model.parameters();
    std::vector<StageParameter> found;
    std::istringstream names{std::string(info(site.point).parameters)};
    for (std::string pattern; names >> pattern;) {
        StageParameter parameter;
        parameter.short_name = fmt::format(fmt::runtime(pattern), fmt::arg("e", site.expert));
        parameter.is_tied_head = site.point == Point::lm_head && model.config().tie_word_embeddings;
        std::string full = parameter.short_name;
        if (site.layer >= 0) full = fmt::format("model.layers.{}.{}", site.layer, full);
        if (site.point == Point::embed_tokens || site.point == Point::norm) full = "model." + full;
        if (parameter.is_tied_head) full = "model.embed_tokens.weight";
        const auto at = std::ranges::find(list, full, &ParameterInfo::name);
        if (at == list.end()) continue;
        parameter.info = *at;
        parameter.values = values[static_cast<std::size_t>(at - list.begin())];
        found.push_back(parameter);
    }
    return found;
}

}  // namespace minimind
