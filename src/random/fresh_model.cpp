#include "random/fresh_model.hpp"

#include <unordered_map>

#include "random/initialise.hpp"

namespace minimind {

CausalLm fresh_model(const ModelConfig& config, Generator& generator, bool random_norms) {
    CausalLm model(config);
    std::unordered_map<std::string, float*> place;
    const std::vector<ParameterInfo> list = parameter_list(config);
    const std::vector<arma::fmat*> parameters = model.parameters();
    for (std::size_t i = 0; i < list.size(); ++i) place[list[i].name] = parameters[i]->memptr();

    const Storage storage = [&](const ParameterInfo& parameter) { return place.at(parameter.name); };
    initialise(config, generator, storage);
    if (random_norms) random_norm_weights(config, generator, storage);
    return model;
}

}  // namespace minimind
