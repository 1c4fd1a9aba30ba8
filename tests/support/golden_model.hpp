// The small models of tests/golden/forward: weights, inputs and every stage as PyTorch computed them.
#pragma once

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/hf_config.hpp"
#include "io/safetensors.hpp"
#include "model/causal_lm.hpp"

namespace minimind {

inline const std::vector<std::string>& golden_cases() {
    static const std::vector<std::string> cases = {"dense", "deep",     "gelu",          "head_dim_override", "mha",
                                                   "mqa",   "moe_top1", "moe_top2",      "moe_raw_weights",   "untied",
                                                   "yarn",  "wide_eps", "rope_theta_1e4"};
    return cases;
}

class GoldenModel {
  public:
    explicit GoldenModel(const std::string& name)
        : file(std::filesystem::path(MINIMIND_GOLDEN_DIR) / "forward" / (name + ".safetensors")),
          config(parse_hf_config(file.metadata().at("config"), name).config),
          model(config, [this](const ParameterInfo& parameter) { return read(parameter); }) {}

    TokenIds ids(const std::string& name) {
        const StoredTensor& tensor = file.at(name);
        return {{tensor.shape[0], tensor.shape[1]}, file.to_i64(tensor)};
    }

    SafetensorsFile file;
    ModelConfig config;
    CausalLm model;

  private:
    arma::fmat read(const ParameterInfo& parameter) {
        const StoredTensor& tensor = file.at("param." + parameter.name);
        if (tensor.shape != parameter.shape) throw Error("wrong shape of " + parameter.name);
        const std::vector<float> values = file.to_f32(tensor);
        const auto rows = static_cast<arma::uword>(parameter.shape.back());
        return {values.data(), rows, values.size() / rows};
    }
};

/// "" if `ours` is within the tolerance of the reference, else what differs first:
///   |a - b| <= 2e-5 * max(1, max |b|)   over the finite values above -1e8: float32 sums in another order
///   -inf must be -inf; masked values below -1e8 agree to 1e-6 relative
inline std::string difference(const std::vector<float>& ours, const std::vector<float>& reference,
                              float relative = 2e-5F) {
    if (ours.size() != reference.size()) return "other number of values";
    float largest = 1.0F;
    for (const float b : reference) {
        if (std::isfinite(b) && b > -1e8F) largest = std::max(largest, std::abs(b));
    }
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const float a = ours[i];
        const float b = reference[i];
        const float allowed = b > -1e8F ? relative * largest : 1e-6F * std::abs(b);
        const bool same = std::isinf(b) ? a == b : std::abs(a - b) <= allowed;
        if (!same) return "value " + std::to_string(i) + ": " + std::to_string(a) + " for " + std::to_string(b);
    }
    return "";
}

}  // namespace minimind
