// trace_ffn_moe. Expected numbers: the forward pass written out in PyTorch 2.13 (F.silu, softmax, topk) on the weights
// that `minimind save` writes for the same seed, which are PyTorch's own; counts by hand.
#include <algorithm>
#include <cmath>

#include "lab_json.hpp"

using namespace minimind;
using nlohmann::json;

namespace {

double value(const json& section, const char* key) {
    return section.at("values").at(key).get<double>();
}

void check_values(const json& numbers, const std::vector<double>& expected) {
    REQUIRE(numbers.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(std::abs(numbers[i].get<double>() - expected[i]) < 1e-6);  // float32 sums in another order
    }
}

}  // namespace

TEST_CASE("trace_ffn_moe: the dense network, stage by stage") {
    const json lab = run_wide("trace_ffn_moe", {"--use_moe", "0"});
    const json stages = section_of(lab, "Dense FFN");
    const double expected[] = {0.9995570, 0.1924539, 0.0970653, 0.1986611, 0.0195957, 0.0071090};
    for (std::size_t i = 0; i < 6; ++i) {
        const json row = stages.at("rows").at(i);
        CAPTURE(row.dump());
        CHECK(std::abs(row.at("mean_rms").get<double>() - expected[i]) < 1e-6);
        const bool is_inner = i > 0 && i < 5;
        CHECK(row.at("shape") == json({4, 7, is_inner ? 320 : 96}));
    }
    CHECK(stages.at("rows").at(4).at("stage") == "gated");
    CHECK(value(stages, "by_hand_vs_module_max_abs_diff") < 1e-7);

    const json gate = section_of(lab, "Gate");
    CHECK(std::abs(value(gate, "share(gate_proj < 0)") - 0.5068080) <
          1e-4);  // one of 8960 may be on the other side of 0
    CHECK(value(gate, "share(act_fn < 0)") == value(gate, "share(gate_proj < 0)"));
    CHECK(std::abs(value(gate, "min(act_fn)") - -0.2509778) < 1e-6);
    CHECK(std::abs(value(gate, "max(act_fn)") - 0.6165155) < 1e-6);
    CHECK(lab.at("sections").size() == 5);  // nothing of experts

    const json with_relu = section_of(run_wide("trace_ffn_moe", {"--use_moe", "0", "--hidden_act", "relu"}), "Gate");
    CHECK(value(with_relu, "share(act_fn < 0)") == 0.0);
    CHECK(value(with_relu, "share(act_fn == 0)") == value(gate, "share(gate_proj < 0)"));
}

TEST_CASE("trace_ffn_moe: widths at equal parameters") {
    const json lab = run_lab({"trace_ffn_moe", "--threads", "1", "--hidden_size", "768", "--num_hidden_layers", "1",
                              "--use_moe", "0", "--num_attention_heads", "8", "--vocab_size", "100"});
    const json rows = section_of(lab, "Widths").at("rows");
    const int widths[] = {3072, 2048, 2432, 2432};
    const int counts[] = {4718592, 4718592, 5603328, 5603328};  // 8 * 768^2, 3 * 768 * 2048, 3 * 768 * 2432
    const double more[] = {0.0, 0.0, 0.1875, 0.1875};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(rows.at(i).at("width") == widths[i]);
        CHECK(rows.at(i).at("parameters") == counts[i]);
        CHECK(rows.at(i).at("more_than_8h2").get<double>() == doctest::Approx(more[i]));
    }
    // The input of W1 is the same for all of its 3072 rows, drawn around 0: about half come out below 0.
    CHECK(std::abs(value(section_of(lab, "FFN of 2017"), "share(relu(W1 x) == 0)") - 0.5) < 0.03);
}

TEST_CASE("trace_ffn_moe: router, dispatch and auxiliary loss of top-2 of 5") {
    const json lab = run_wide(
        "trace_ffn_moe", {"--use_moe", "1", "--num_experts", "5", "--num_experts_per_tok", "2", "--show_tokens", "28"});
    const json rows = section_of(lab, "Router").at("rows");
    REQUIRE(rows.size() == 28);
    check_values(rows[0].at("logits"), {-0.0069314, -0.1494561, 0.0244763, -0.0162617, 0.2621195});
    check_values(rows[0].at("probs"), {0.1923629, 0.1668106, 0.1985005, 0.1905764, 0.2517495});
    CHECK(rows[0].at("topk_idx") == json({4, 2}));
    check_values(rows[0].at("topk_weight"), {0.5591328, 0.4408672});

    const json dispatch = section_of(lab, "Dispatch");
    const int tokens[] = {5, 12, 9, 11, 19};
    const double mean_probs[] = {0.1911982, 0.1960154, 0.1956018, 0.2025011, 0.2146835};
    double sum = 0.0;
    for (std::size_t e = 0; e < 5; ++e) {
        const json row = dispatch.at("rows").at(e);
        CHECK(row.at("tokens") == tokens[e]);
        CHECK(row.at("load").get<double>() == doctest::Approx(tokens[e] / 28.0));
        CHECK(std::abs(row.at("mean_prob").get<double>() - mean_probs[e]) < 1e-6);
        sum += tokens[e] / 28.0 * mean_probs[e];
    }
    CHECK(value(dispatch, "by_hand_vs_module_max_abs_diff") < 1e-7);
    const json aux = section_of(lab, "Auxiliary Loss");
    CHECK(value(aux, "aux_loss_by_hand") == doctest::Approx(5e-4 * 5 * sum).epsilon(1e-5));
    CHECK(value(aux, "aux_loss_by_hand") == doctest::Approx(0.0010156331).epsilon(1e-5));
    CHECK(value(aux, "aux_loss_of_the_layer") == doctest::Approx(0.0010156331).epsilon(1e-5));
    CHECK(value(aux, "aux_loss_of_the_model") == doctest::Approx(0.0051739452).epsilon(1e-5));
}

TEST_CASE("trace_ffn_moe: without flags a dense model and one with 4 experts, of which a token uses one") {
    const json lab = run_lab({"trace_ffn_moe"});
    for (const json& row : section_of(lab, "Router").at("rows")) {
        CHECK(row.at("probs").size() == 4);
        CHECK(row.at("topk_weight").at(0).get<double>() == 1.0);  // its own share of itself
    }
    CHECK(section_of(lab, "Dense FFN").at("rows").size() == 6);
    const json parameters = section_of(lab, "Parameters");
    const json dense = row_of(parameters, "model", "dense");
    const json moe = row_of(parameters, "model", "MoE");
    CHECK(dense.at("mlp_of_a_block") == 3 * 64 * 256);
    CHECK(moe.at("mlp_of_a_block") == 4 * 3 * 64 * 256 + 4 * 64);
    CHECK(moe.at("mlp_used_by_a_token") == 3 * 64 * 256 + 4 * 64);
    CHECK(dense.at("total") == dense.at("active"));
    CHECK(moe.at("active") == dense.at("total").get<int>() + 2 * 4 * 64);  // the routers of both layers
}

TEST_CASE("trace_ffn_moe: equal experts are the dense network if the weights add up to 1") {
    const auto difference = [](const std::vector<std::string>& flags) {
        std::vector<std::string> words = {"trace_ffn_moe", "--num_experts_per_tok", "3", "--use_moe", "1"};
        words.insert(words.end(), flags.begin(), flags.end());
        return value(section_of(run_lab(words), "Equal Experts"), "equal_experts_vs_dense_max_abs_diff");
    };
    CHECK(difference({}) < 1e-8);  // rounding of the weights; the output is about 0.004
    CHECK(difference({"--norm_topk_prob", "0"}) > 1e-4);
}

TEST_CASE("trace_ffn_moe: a checkpoint shows what it has") {
    const std::string folder = MINIMIND_GOLDEN_DIR "/checkpoints/";
    const auto titles = [](const json& lab) {
        std::vector<std::string> all;
        for (const json& section : lab.at("sections")) all.push_back(section.at("title"));
        return all;
    };
    const auto has = [](const std::vector<std::string>& all, const char* title) {
        return std::find(all.begin(), all.end(), title) != all.end();
    };
    const auto dense =
        titles(run_lab({"trace_ffn_moe", "--threads", "1", "--checkpoint", folder + "minimind_safetensors"}));
    CHECK(has(dense, "Gate"));
    CHECK(!has(dense, "Router"));
    const auto moe = titles(run_lab({"trace_ffn_moe", "--threads", "1", "--checkpoint", folder + "minimind_moe"}));
    CHECK(!has(moe, "Gate"));
    CHECK(has(moe, "Router"));
}

TEST_CASE("trace_ffn_moe: explained in both languages; what is wrong is refused") {
    check_explained({"trace_ffn_moe", "--text", "你好，世界"});
    check_refused({"trace_ffn_moe", "--layer", "2"}, "use 0 to 1");
    check_refused({"trace_ffn_moe", "--num_experts_per_tok", "5"}, "5 of 4 experts");
    check_refused({"trace_ffn_moe", "--show_tokens", "0"}, "at least 1");
    check_refused({"trace_ffn_moe", "--num_expert", "3", "--hidden_act", "swish"}, "--num_expert");
}
