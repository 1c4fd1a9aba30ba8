// logits_to_keep. The multiply-adds were counted in PyTorch (FlopCounterMode on Qwen3ForCausalLM with the tiny model's
// sizes, eager attention): 6,408,240 with all logits and 2,312,240 with one a row, less 48 of its rotary angles, which
// it computes as a matrix product.
#include "lab_json.hpp"
#include "lab_support.hpp"

using namespace minimind;

TEST_CASE("logits_to_keep: the kept logits are the last rows of all") {
    for (const char* keep : {"1", "3", "6", "99", "0"}) {
        const auto lab = run_lab({"logits_to_keep", "--logits_to_keep", keep});
        const auto values = section_of(lab, "The Same Numbers").at("values");
        CAPTURE(keep);
        // logits below 1, sums of 64 products: another order of the sum moves the last bits only
        CHECK(values.at("full_last_positions_vs_kept_max_abs_diff").get<double>() < 1e-6);
    }
    const auto shape = [](const char* keep) {
        return section_of(run_lab({"logits_to_keep", "--logits_to_keep", keep}), "The Same Numbers")
            .at("values")
            .at("kept_logits.shape");
    };
    CHECK(shape("1") == nlohmann::json({2, 1, 6400}));
    CHECK(shape("4") == nlohmann::json({2, 4, 6400}));
    CHECK(shape("0") == nlohmann::json({2, 6, 6400}));  // -0 is 0 in Python: all
}

TEST_CASE("logits_to_keep: only the head gets smaller") {
    const auto section = section_of(run_lab({"logits_to_keep"}), "Which Stages Get Smaller");
    CHECK(section.at("values").at("stages_that_changed") == 1);
    CHECK(section.at("values").at("stages").get<int>() > 60);
    CHECK(section.at("values").at("positions_in_kv_cache_kept") == 6);
    CHECK(row_of(section, "stage", "lm_head").at("kept") == nlohmann::json({2, 1, 6400}));
    const auto all = section_of(run_lab({"logits_to_keep", "--logits_to_keep", "0"}), "Which Stages Get Smaller");
    CHECK(all.at("values").at("stages_that_changed") == 0);
}

TEST_CASE("logits_to_keep: what it saves and what not") {
    const auto section = section_of(run_lab({"logits_to_keep"}), "What It Saves");
    const auto head = row_of(section, "what", "lm_head_multiply_adds");
    const auto rest = row_of(section, "what", "other_multiply_adds");
    CHECK(head.at("full").get<int>() + rest.at("full").get<int>() == 6408240 - 48);
    CHECK(head.at("kept").get<int>() + rest.at("kept").get<int>() == 2312240 - 48);
    CHECK(rest.at("full") == rest.at("kept"));
    const auto bytes = row_of(section, "what", "logits_bytes");
    CHECK(bytes.at("full") == 2 * 6 * 6400 * 4);
    CHECK(bytes.at("kept") == 2 * 1 * 6400 * 4);

    const auto step = row_of(section_of(run_lab({"logits_to_keep"}), "By Length"), "tokens", 1);
    CHECK(step.at("saved_percent") == 0.0);  // a decode step has one position anyway
}

TEST_CASE("logits_to_keep: who reads which logits") {
    const auto section = section_of(run_lab({"logits_to_keep"}), "Who Reads Which Logits");
    CHECK(row_of(section, "who", "training").at("read") == 5);
    CHECK(row_of(section, "who", "prefill").at("read") == 1);
    CHECK(row_of(section, "who", "decode").at("positions") == 1);
}

TEST_CASE("logits_to_keep: explained in both languages; what is wrong is refused") {
    check_explained({"logits_to_keep"});
    check_explanations({"logits_to_keep"});
    check_refused({"logits_to_keep", "--logits_to_keep", "-1"}, "--logits_to_keep");
    check_refused({"logits_to_keep", "--keep", "1"}, "--keep");
    check_refused({"logits_to_keep", "--seq_len", "129"}, "129");
}
