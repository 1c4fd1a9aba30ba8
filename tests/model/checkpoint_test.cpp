// Every form of checkpoint gives the logits that PyTorch gives: 2e-5 relative to the largest. F16 and BF16 too, since
// both sides convert the weights to float32 first.
#include <doctest/doctest.h>

#include "io/checkpoint.hpp"
#include "support/golden_model.hpp"

using namespace minimind;

namespace fs = std::filesystem;

TEST_CASE("every checkpoint gives PyTorch's logits") {
    const fs::path folder = fs::path(MINIMIND_GOLDEN_DIR) / "checkpoints";
    int compared = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string suffix = ".expected.safetensors";
        std::string name = entry.path().filename().string();
        if (name.size() < suffix.size() || name.substr(name.size() - suffix.size()) != suffix) continue;
        name.resize(name.size() - suffix.size());
        CAPTURE(name);
        const fs::path path = fs::is_directory(folder / name) ? folder / name : folder / (name + ".pth");
        if (name == "legacy_format") {
            CHECK_THROWS_AS(Checkpoint{path}, Error);
            continue;
        }
        Checkpoint checkpoint(path);
        const CausalLm model(checkpoint.config(), [&](const ParameterInfo& parameter) {
            const float* data = checkpoint.data(parameter);
            const auto rows = static_cast<arma::uword>(parameter.shape.back());
            return arma::fmat(const_cast<float*>(data), rows, static_cast<arma::uword>(parameter.count()) / rows, false,
                              true);
        });
        SafetensorsFile expected(entry.path());
        const StoredTensor& ids = expected.at("input_ids");
        const arma::fmat logits = model.forward({{ids.shape[0], ids.shape[1]}, expected.to_i64(ids)}).logits;
        CHECK(difference({logits.begin(), logits.end()}, expected.to_f32(expected.at("logits"))) == "");
        ++compared;
    }
    CHECK(compared == 19);
}

TEST_CASE("mapped float32 weights are used where they lie") {
    Checkpoint checkpoint(fs::path(MINIMIND_GOLDEN_DIR) / "checkpoints" / "minimind_safetensors");
    std::vector<const float*> mapped;
    const CausalLm model(checkpoint.config(), [&](const ParameterInfo& parameter) {
        mapped.push_back(checkpoint.data(parameter));
        const auto rows = static_cast<arma::uword>(parameter.shape.back());
        return arma::fmat(const_cast<float*>(mapped.back()), rows, static_cast<arma::uword>(parameter.count()) / rows,
                          false, true);
    });
    const std::vector<const arma::fmat*> parameters = model.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) CHECK(parameters[i]->memptr() == mapped[i]);
}
