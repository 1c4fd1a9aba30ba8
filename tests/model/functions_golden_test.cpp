// Rotary tables, activations, norms, softmax and cross entropy against PyTorch: 1e-6 relative to the largest value, what
// float32 and another order of sums allow.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "model/activation.hpp"
#include "model/loss.hpp"
#include "model/rms_norm.hpp"
#include "model/rope.hpp"
#include "model/vector_math.hpp"
#include "support/golden_model.hpp"
#include "support/json_of.hpp"

using namespace minimind;

namespace {

SafetensorsFile open(const std::string& name) {
    return SafetensorsFile(std::filesystem::path(MINIMIND_GOLDEN_DIR) / "functions" / (name + ".safetensors"));
}

arma::fmat matrix(SafetensorsFile& file, const std::string& name) {
    const StoredTensor& tensor = file.at(name);
    const std::vector<float> values = file.to_f32(tensor);
    const auto rows = static_cast<arma::uword>(tensor.shape.back());
    return {values.data(), rows, values.size() / rows};
}

std::vector<float> values_of(const arma::fmat& x) {
    return {x.begin(), x.end()};
}

}  // namespace

TEST_CASE("rotary tables equal PyTorch's up to position 32767") {
    SafetensorsFile file = open("rope");
    const std::vector<std::int64_t> positions = file.to_i64(file.at("positions"));
    for (const auto& [name, text] : file.metadata()) {
        if (name == "torch") continue;
        const std::string table(name);
        CAPTURE(table);
        const auto json = json_of(text);
        ModelConfig config;
        config.head_dim = json.at("dim").get<std::int64_t>();
        config.rope_theta = json.at("theta").get<double>();
        config.max_position_embeddings = json.at("max_position_embeddings").get<std::int64_t>();
        config.inference_rope_scaling = !json.at("scaling").is_null();
        if (config.inference_rope_scaling) {
            const auto& scaling = json.at("scaling");
            config.rope_scaling.factor = scaling.at("factor").get<double>();
            config.rope_scaling.attention_factor = scaling.at("attention_factor").get<double>();
        }
        std::vector<float> cos;
        std::vector<float> sin;
        for (const std::int64_t position : positions) {
            if (position >= config.max_position_embeddings) break;
            const RotaryTables tables = rope_tables(config, position, 1);
            cos.insert(cos.end(), tables.cos.begin(), tables.cos.end());
            sin.insert(sin.end(), tables.sin.begin(), tables.sin.end());
        }
        CHECK(difference(cos, file.to_f32(file.at(name + ".cos")), 1e-6F) == "");
        CHECK(difference(sin, file.to_f32(file.at(name + ".sin")), 1e-6F) == "");
    }
}

TEST_CASE("activations equal PyTorch's") {
    SafetensorsFile file = open("functions");
    for (const std::string& name : activation_names()) {
        CAPTURE(name);
        const arma::fmat ours = activate(name, matrix(file, "x"));
        CHECK(difference(values_of(ours), file.to_f32(file.at(name)), 1e-6F) == "");
    }
}

TEST_CASE("RMSNorm equals PyTorch's for every eps, and for tiny values") {
    SafetensorsFile file = open("functions");
    const arma::fmat weight = matrix(file, "norm.weight").t();
    const arma::fmat column(weight.memptr(), weight.n_elem, 1);
    for (const auto& [name, eps] : std::vector<std::pair<std::string, double>>{
             {"rms_norm.eps0.01", 0.01}, {"rms_norm.eps1e-05", 1e-5}, {"rms_norm.eps1e-06", 1e-6}}) {
        const std::string entry(name);
        CAPTURE(entry);
        const arma::fmat ours = rms_norm(matrix(file, "norm.x"), column, eps);
        CHECK(difference(values_of(ours), file.to_f32(file.at(name)), 1e-6F) == "");
    }
}

TEST_CASE("softmax and cross entropy equal PyTorch's") {
    SafetensorsFile file = open("functions");
    arma::fmat x = matrix(file, "softmax.x");
    for (arma::uword row = 0; row < x.n_cols; ++row) softmax_row(x.colptr(row), static_cast<std::int64_t>(x.n_rows));
    CHECK(difference(values_of(x), file.to_f32(file.at("softmax.y")), 1e-6F) == "");

    // One sequence of 7 positions: the 6 logits of the file predict the 6 labels that follow the first.
    arma::fmat logits = matrix(file, "cross_entropy.logits");
    logits.insert_cols(logits.n_cols, arma::fmat(logits.n_rows, 1, arma::fill::zeros));
    TokenIds labels{{1, 7}, {0}};
    for (const std::int64_t label : file.to_i64(file.at("cross_entropy.labels"))) labels.ids.push_back(label);
    const Loss loss = shifted_cross_entropy(logits, labels, StageTrace(nullptr, labels.batch));
    CHECK(difference(loss.per_token, file.to_f32(file.at("cross_entropy.per_token")), 1e-6F) == "");
    CHECK(difference({static_cast<float>(loss.mean)}, file.to_f32(file.at("cross_entropy.mean")), 1e-6F) == "");
}
