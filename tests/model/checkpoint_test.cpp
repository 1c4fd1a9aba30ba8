// Checkpoints in every form that users have: the model built from the file gives the logits that PyTorch gives.
#include <doctest/doctest.h>

#include <filesystem>

#include "io/checkpoint.hpp"
#include "io/safetensors.hpp"
#include "support/golden_model.hpp"

using namespace minimind;

namespace {

/// A model whose parameters are views of the checkpoint's memory, which must outlive it.
CausalLm model_of(Checkpoint& checkpoint) {
    return CausalLm(checkpoint.config(), [&](const ParameterInfo& parameter) {
        const auto rows = static_cast<arma::uword>(parameter.shape.back());
        const auto columns = static_cast<arma::uword>(parameter.count()) / rows;
        return arma::fmat(const_cast<float*>(checkpoint.data(parameter)), rows, columns, false, true);
    });
}

/// "" if the logits are within 2e-5 of the largest, else what differs: float32 sums in another order. Both sides turn
/// F16 and BF16 weights into the same F32 first, so that these files have the same tolerance.
std::string logits_difference(const std::string& name) {
    const std::filesystem::path folder = std::filesystem::path(MINIMIND_GOLDEN_DIR) / "checkpoints";
    const std::string stem = name.substr(0, name.rfind(".pth"));
    SafetensorsFile expected(folder / (stem + ".expected.safetensors"));
    const StoredTensor& ids = expected.at("input_ids");
    const TokenIds input{{ids.shape[0], ids.shape[1]}, expected.to_i64(ids)};

    Checkpoint checkpoint(folder / name);
    const CausalLmOutput output = model_of(checkpoint).forward(input);
    const std::vector<float> logits(output.logits.begin(), output.logits.end());
    return difference(logits, expected.to_f32(expected.at("logits")));
}

}  // namespace

TEST_CASE("every golden checkpoint gives PyTorch's logits") {
    for (const char* const name :
         {"minimind_safetensors", "minimind_bf16", "minimind_bin_f16", "minimind_moe", "minimind_untied_sharded",
          "qwen3", "qwen3_v5", "qwen3_untied_bf16", "qwen3_moe", "qwen3_moe_v5", "f32_tied.pth", "strided.pth",
          "one_storage.pth", "compiled.pth", "data_parallel.pth", "parameters.pth", "pretrain_24.pth", "resume.pth",
          "moe_bf16.pth"}) {
        CAPTURE(name);
        CHECK(logits_difference(name) == "");
    }
}
