// tied_embeddings. The logits and ranks were computed with PyTorch and transformers (Qwen3ForCausalLM, eager attention)
// from what `minimind save --preset tiny` writes, the counts by hand from the sizes.
#include <cmath>
#include <filesystem>

#include "lab_json.hpp"
#include "lab_support.hpp"

using namespace minimind;

namespace {

constexpr double printed = 6e-5;  // the reference values have four decimals

const char* const way_in = "Way In: A Lookup Is One-Hot Times Table";
const char* const way_out = "Way Out: A Logit Is A Dot Product With A Row";
const char* const own_rows = "Which Token's Row Gives The Largest Logit";
const char* const other_build = "The Same Seed, The Other Setting";

}  // namespace

TEST_CASE("tied_embeddings: a lookup is a product with a one-hot vector, to the last bit") {
    const auto lab = run_lab({"tied_embeddings", "--input_ids", "17,6399,17"});
    const auto values = section_of(lab, way_in).at("values");
    CHECK(values.at("lookup_vs_one_hot_max_abs_diff") == 0.0);
    CHECK(values.at("one_hot.shape") == nlohmann::json({3, 6400}));
    CHECK(values.at("product_multiply_adds") == 3 * 6400 * 64);
}

TEST_CASE("tied_embeddings: a logit is a dot product with the same row, until the head is its own") {
    const auto logit = [](const nlohmann::json& lab, const char* name) {
        return section_of(lab, way_out).at("values").at(name).get<double>();
    };
    const auto tied = run_lab({"tied_embeddings"});
    CHECK(section_of(tied, way_out).at("values").at("token_of_the_largest_logit") == 5);
    CHECK(logit(tied, "logits[0, -1, token]") == doctest::Approx(0.8500).epsilon(printed));
    const double head = logit(tied, "hidden . lm_head.weight[token]");
    CHECK(head == logit(tied, "hidden . embed_tokens.weight[token]"));  // the same memory
    // 64 products of size 0.02 in two orders: float32 rounding
    CHECK(logit(tied, "all_logits_vs_dot_products_max_abs_diff") < 1e-6);

    const auto untied = run_lab({"tied_embeddings", "--tie_word_embeddings", "0"});
    const double own = logit(untied, "hidden . lm_head.weight[token]");
    CHECK(std::abs(own - logit(untied, "hidden . embed_tokens.weight[token]")) > 0.1);
    CHECK(own == doctest::Approx(logit(untied, "logits[0, -1, token]")).epsilon(1e-5));
}

TEST_CASE("tied_embeddings: the ranks of a position's own row") {
    const auto lab = run_lab({"tied_embeddings"});
    const std::vector<double> early = {1.3626, 1.3492, 1.3227, 1.0720, 1.1508, 1.2939};
    const std::vector<double> late = {0.7903, 0.5970, 0.8298, 0.5874, 0.6044, 0.8500};
    const std::vector<int> ranks = {1, 2, 1, 2, 2, 1};
    const std::vector<int> top = {0, 3874, 2, 5088, 993, 5};
    const std::vector<int> untied_ranks = {5224, 1049, 103, 2361, 3421, 974};
    const auto rows = section_of(lab, own_rows).at("rows");
    const auto untied = section_of(lab, other_build).at("rows");
    REQUIRE(rows.size() == ranks.size());
    for (std::size_t s = 0; s < ranks.size(); ++s) {
        CAPTURE(s);
        CHECK(rows[s].at("own_logit_without_blocks").get<double>() == doctest::Approx(early[s]).epsilon(printed));
        CHECK(rows[s].at("own_rank_without_blocks") == 1);
        CHECK(rows[s].at("own_logit").get<double>() == doctest::Approx(late[s]).epsilon(2 * printed));
        CHECK(rows[s].at("own_rank") == ranks[s]);
        CHECK(rows[s].at("top_id") == top[s]);
        // among thousands of logits 1e-4 apart, rounding may swap neighbours
        CHECK(std::abs(untied[s].at("own_rank").get<int>() - untied_ranks[s]) <= 2);
    }
}

TEST_CASE("tied_embeddings: the untied head of a seed is its tied table, and not its embedding") {
    for (const char* tie : {"0", "1"}) {
        const auto lab = run_lab({"tied_embeddings", "--tie_word_embeddings", tie});
        const auto values = section_of(lab, other_build).at("values");
        CHECK(values.at("untied_lm_head_vs_tied_table_max_abs_diff") == 0.0);
        CHECK(values.at("untied_lm_head_vs_embed_tokens_max_abs_diff").get<double>() == doctest::Approx(0.136998));
    }
}

TEST_CASE("tied_embeddings: what tying saves, in parameters and in files") {
    const std::string text = run_program({"tied_embeddings"}).out;
    const auto has = [&](const char* line) { CHECK_MESSAGE(text.find(line) != std::string::npos, line); };
    has("minimind3         4,915,200    63,912,192    68,827,392    7.14 %    7.69 %\n");
    has("minimind3-moe     4,915,200   198,416,640   203,331,840    2.42 %    2.48 %\n");
    has("minimind3                  255.6 MB              127.8 MB            137.7 MB\n");

    const auto minimind3 = row_of(section_of(run_lab({"tied_embeddings"}), "What A File Holds"), "model", "minimind3");
    CHECK(minimind3.at("safetensors_float32_bytes") == 4 * 63912192);
    CHECK(minimind3.at("float16_table_once_bytes") == 2 * 63912192);
    CHECK(minimind3.at("pth_float16_table_twice_bytes") == 2 * 68827392);
}

TEST_CASE("tied_embeddings: a file that `save` writes has the bytes that the lab tells, and its header") {
    const auto folder = std::filesystem::temp_directory_path() / "minimind_tied_embeddings_test";
    std::filesystem::remove_all(folder);
    const std::vector<std::string> sizes = {"--hidden_size", "32", "--vocab_size", "70"};
    std::vector<std::string> save = {"save", folder.string()};
    save.insert(save.end(), sizes.begin(), sizes.end());
    REQUIRE(run_program(save).exit_code == 0);
    const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(folder / "model.safetensors"));

    const auto lab = run_lab({"tied_embeddings", "--checkpoint", folder.string()});
    const auto told = row_of(section_of(lab, "What A File Holds"), "model", "this model");
    const auto safetensors = told.at("safetensors_float32_bytes").get<std::int64_t>();
    CHECK(file_bytes > safetensors);
    CHECK(file_bytes < safetensors + 8192);  // the header: names, shapes and offsets of some twenty tensors
    const auto values = section_of(lab, "This Checkpoint").at("values");
    CHECK(values.at("tensor_bytes") == safetensors);
    CHECK(values.at("holds_lm_head.weight") == false);
    CHECK(values.at("lm_head_equals_embed_tokens") == true);
    std::filesystem::remove_all(folder);
}

TEST_CASE("tied_embeddings: a trained .pth holds the table under both names") {
    const std::string path = std::string(MINIMIND_GOLDEN_DIR) + "/checkpoints/pretrain_24.pth";
    const auto lab = run_lab({"tied_embeddings", "--checkpoint", path, "--input_ids", "1,2,3"});
    const auto values = section_of(lab, "This Checkpoint").at("values");
    CHECK(values.at("holds_lm_head.weight") == true);
    CHECK(values.at("lm_head_equals_embed_tokens") == true);
    const auto told = row_of(section_of(lab, "What A File Holds"), "model", "this model");
    CHECK(values.at("tensor_bytes") == told.at("pth_float16_table_twice_bytes"));
}

TEST_CASE("tied_embeddings: explained in both languages; what is wrong is refused") {
    check_explained({"tied_embeddings"});
    check_explanations({"tied_embeddings"});
    check_explained({"tied_embeddings", "--tie_word_embeddings", "0"});
    check_refused({"tied_embeddings", "--tied", "1"}, "--tie_word_embeddings");
    check_refused({"tied_embeddings", "--input_ids", "6400"}, "out of range");
    check_refused({"tied_embeddings", "--hidden_size", "100000000"}, "memory");
}
