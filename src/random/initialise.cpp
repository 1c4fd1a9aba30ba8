#include "random/initialise.hpp"

#include <algorithm>

namespace minimind {

namespace {

constexpr double weight_std = 0.02;

void draw_normal(Generator& generator, float* values, std::size_t count, double mean, double std) {
    if (values != nullptr) {
        generator.fill_normal(values, count, mean, std);
    } else {
        generator.skip_normal(count);
    }
}

std::size_t size_of(const ParameterInfo& parameter) {
    return static_cast<std::size_t>(parameter.count());
}

/// What the modules draw as they are created.
void skip_construction(const std::vector<ParameterInfo>& parameters, bool tied, Generator& generator) {
    for (const ParameterInfo& parameter : parameters) {
        if (parameter.kind == ParameterKind::embedding) generator.skip_normal(size_of(parameter));
        if (parameter.kind == ParameterKind::linear) generator.skip_uniform(size_of(parameter));
    }
    if (tied) generator.skip_uniform(size_of(parameters.front()));  // the head's own weight, before it is tied
}

}  // namespace

void initialise(const ModelConfig& config, Generator& generator, const Storage& storage) {
    const bool tied = config.tie_word_embeddings;
    const std::vector<ParameterInfo> parameters = parameter_list(config);
    skip_construction(parameters, tied, generator);

    for (const ParameterInfo& parameter : parameters) {
        const std::size_t count = size_of(parameter);
        if (parameter.kind == ParameterKind::norm) {
            if (float* values = storage(parameter)) std::fill_n(values, count, 1.0F);
        } else if (tied && parameter.kind == ParameterKind::embedding) {
            generator.skip_normal(count);
        } else {
            draw_normal(generator, storage(parameter), count, 0.0, weight_std);
        }
    }
    if (tied) {
        const ParameterInfo& table = parameters.front();
        draw_normal(generator, storage(table), size_of(table), 0.0, weight_std);
    }
}

void random_norm_weights(const ModelConfig& config, Generator& generator, const Storage& storage) {
    for (const ParameterInfo& parameter : parameter_list(config)) {
        if (parameter.kind != ParameterKind::norm) continue;
        draw_normal(generator, storage(parameter), size_of(parameter), 1.0, 0.1);
    }
}

}  // namespace minimind
