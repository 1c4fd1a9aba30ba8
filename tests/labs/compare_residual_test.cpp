// compare_residual. The expected numbers are those of the same blocks written out in PyTorch 2.13, both ways, on the
// weights that `minimind save` writes for the same seed (which are PyTorch's own):
//   pre   a = attn(norm1(x)); mid = x + a; m = mlp(norm2(mid)); out = mid + m
//   post  a = attn(x); mid = norm1(x + a); m = mlp(mid); out = norm2(mid + m)
#include <cmath>

#include "lab_json.hpp"

using namespace minimind;
using nlohmann::json;

namespace {

constexpr const char* keys[] = {
    "x", "attn", "mlp", "out", "attn_ratio", "mlp_ratio", "attn_cosine", "mlp_cosine", "embedding_cosine"};

void check_block(const json& section, std::size_t layer, const std::vector<double>& expected) {
    const json row = section.at("rows").at(layer);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(layer);
        CAPTURE(keys[i]);
        // printed to six digits, computed in float32
        CHECK(std::abs(row.at(keys[i]).get<double>() - expected[i]) < 2e-6 * std::max(1.0, std::abs(expected[i])));
    }
}

}  // namespace

TEST_CASE("compare_residual: both streams are those of PyTorch") {
    const json lab = run_wide("compare_residual", {});
    const json pre = section_of(lab, "Pre-Norm");
    check_block(pre, 0, {0.019775, 0.029150, 0.007109, 0.036018, 1.474118, 0.201754, -0.016611, 0.006458, 0.548503});
    check_block(pre, 4, {0.075620, 0.039389, 0.006842, 0.084734, 0.520884, 0.080670, -0.012202, -0.053748, 0.222734});
    const json post = section_of(lab, "Post-Norm");
    check_block(post, 0, {0.019775, 0.000560, 0.007046, 0.999999, 0.028303, 0.007055, -0.018868, -0.007543, 0.999540});
    check_block(post, 4, {0.999999, 0.030620, 0.006955, 0.999999, 0.030620, 0.006955, -0.025963, -0.007036, 0.997578});
}

TEST_CASE("compare_residual: xavier, a gain and a larger embedding") {
    const json lab = run_wide("compare_residual", {"--init", "xavier", "--gain", "2", "--embed_std", "1"});
    const json pre = section_of(lab, "Pre-Norm");
    check_block(pre, 0, {0.988739, 3.406164, 2.906741, 4.642516, 3.444959, 0.820986, -0.016606, 0.013993, 0.206360});
    check_block(pre, 4, {9.958182, 4.368077, 2.675054, 11.168470, 0.438642, 0.245089, 0.006849, -0.025901, 0.079438});
    const json post = section_of(lab, "Post-Norm");
    check_block(post, 4, {1.0, 4.663669, 2.551663, 1.0, 4.663669, 2.551663, -0.016622, 0.002162, -0.002965});
    // Post-norm forgets the embedding, pre-norm keeps some of it.
    const json summary = section_of(lab, "Side by Side");
    CHECK(row_of(summary, "stream", "pre-norm").at("embedding_cosine_after_the_last") > 0.07);
    CHECK(row_of(summary, "stream", "post-norm").at("embedding_cosine_after_the_last") < 0.01);
}

TEST_CASE("compare_residual: the first block of minimind3 makes the stream ten times as large") {
    // The layers of one block alone would do, but its weights depend on how many are drawn before them.
    const json lab = run_lab({"compare_residual", "--threads", "1", "--preset", "minimind3"});
    const json rows = section_of(lab, "Pre-Norm").at("rows");
    REQUIRE(rows.size() == 8);
    const auto rounded = [](const json& number) { return std::round(1000.0 * number.get<double>()) / 1000.0; };
    CHECK(rounded(rows[0].at("x")) == 0.020);
    CHECK(rounded(rows[0].at("attn")) == 0.098);
    CHECK(rounded(rows[0].at("mlp")) == 0.166);
    CHECK(rounded(rows[0].at("out")) == 0.197);
    CHECK(std::abs(rows[7].at("out").get<double>() - 0.75) < 0.03);  // 0.73 to 0.78, depending on the ids
    const json summary = row_of(section_of(lab, "Side by Side"), "stream", "pre-norm");
    CHECK(std::abs(summary.at("first_block_growth").get<double>() - 10.0) < 0.5);
}

TEST_CASE("compare_residual: an increment of nothing changes nothing; a huge one breaks nothing") {
    const json still = run_lab({"compare_residual", "--threads", "1", "--gain", "0", "--num_hidden_layers", "3"});
    for (const json& row : section_of(still, "Pre-Norm").at("rows")) {
        CHECK(row.at("out") == row.at("x"));
        CHECK(row.at("attn_ratio") == 0.0);
        CHECK(row.at("embedding_cosine").get<double>() == doctest::Approx(1.0));
    }
    run_lab({"compare_residual", "--threads", "1", "--gain", "1e6", "--embed_std", "0", "--num_hidden_layers", "3"});
    run_lab({"compare_residual", "--threads", "1", "--gain", "1e6", "--embed_std", "1e6", "--use_moe", "1"});
}

TEST_CASE("compare_residual: a checkpoint shows its own stream only") {
    const std::string path = MINIMIND_GOLDEN_DIR "/checkpoints/minimind_safetensors";
    const json lab = run_lab({"compare_residual", "--threads", "1", "--checkpoint", path, "--seq_len", "5"});
    CHECK(lab.at("sections").size() == 2);
    const json values = section_of(lab, "Pre-Norm").at("values");
    CHECK(values.at("by_hand_vs_engine_max_abs_diff").get<double>() < 1e-6);
    check_refused({"compare_residual", "--checkpoint", path, "--gain", "2"}, "--gain cannot be combined");
}

TEST_CASE("compare_residual: explained in both languages; what is wrong is refused") {
    check_explained({"compare_residual", "--threads", "1", "--num_hidden_layers", "2"});
    check_refused({"compare_residual", "--init", "he"}, "--init");
    check_refused({"compare_residual", "--gain", "-1"}, "--gain -1");
    check_refused({"compare_residual", "--embed_std", "inf"}, "--embed_std inf");
    check_refused({"compare_residual", "--num_key_value_heads", "3"}, "cannot share 3");
}
