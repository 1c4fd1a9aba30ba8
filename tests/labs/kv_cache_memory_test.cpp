// kv_cache_memory. The bytes were computed by hand, and for config C with transformers' own DynamicCache.
#include "lab_json.hpp"
#include "lab_support.hpp"

using namespace minimind;

TEST_CASE("kv_cache_memory: a token of minimind3 with MHA, GQA and MQA") {
    const auto section = section_of(run_lab({"kv_cache_memory"}), "One Token");
    CHECK(row_of(section, "kind", "MHA").at("bytes") == 49152);  // 2 * 8 layers * 8 heads * 96 * 4 bytes
    CHECK(row_of(section, "kind", "GQA").at("bytes") == 24576);
    CHECK(row_of(section, "kind", "MQA").at("bytes") == 6144);
    CHECK(row_of(section, "kind", "GQA").at("to_mha") == 0.5);

    const auto half = section_of(run_lab({"kv_cache_memory", "--dtype", "bf16"}), "One Token");
    CHECK(row_of(half, "kind", "GQA").at("bytes") == 12288);
}

TEST_CASE("kv_cache_memory: by length and against the weights") {
    const std::string text = run_program({"kv_cache_memory"}).out;
    CHECK(text.find("   32768        1.5 GiB      768.0 MiB      192.0 MiB") != std::string::npos);
    const auto lab = run_lab({"kv_cache_memory", "--lengths", "1,340,32768", "--batch_size", "3"});
    const auto row = row_of(section_of(lab, "By Length"), "length", 340);
    CHECK(row.at("GQA") == 3 * 340 * 24576);
    CHECK(row.at("to_weights").get<double>() == doctest::Approx(3.0 * 340 * 24576 / (4.0 * 63912192)));

    const auto values = section_of(run_lab({"kv_cache_memory"}), "Against The Weights").at("values");
    CHECK(values.at("parameters") == 63912192);
    // 255,648,768 bytes of weights / 24,576 a token = 10,402.4
    CHECK(values.at("cache_outgrows_weights_at_length") == 10403);
}

TEST_CASE("kv_cache_memory: the engine's cache has the bytes of the formula") {
    const auto lab =
        run_lab({"kv_cache_memory", "--hidden_size", "96", "--num_hidden_layers", "5", "--num_attention_heads", "6",
                 "--num_key_value_heads", "2", "--head_dim", "20", "--batch_size", "4", "--lengths", "7"});
    // B4 S7 L5 k2 D20 in float32: what DynamicCache holds after Qwen3ForCausalLM has seen 4 x 7 tokens
    CHECK(row_of(section_of(lab, "By Length"), "length", 7).at("GQA") == 44800);
    const auto rows = section_of(lab, "The Engine's Own Cache, In fp32").at("rows");
    REQUIRE(rows.size() == 6);
    for (const auto& row : rows) {
        CHECK(row.at("equal") == true);
        CHECK(row.at("bytes_in_use") == row.at("formula_bytes"));
    }
    CHECK(rows[2].at("kind") == "GQA");
    CHECK(rows[2].at("bytes_in_use") == 44800 / 7 * 8);
    CHECK(rows[3].at("bytes_in_use") == 44800 / 7 * 9);
    CHECK(rows[3].at("allocated_bytes") == 44800 / 7 * 16);  // full at 8, doubled for the ninth
}

TEST_CASE("kv_cache_memory: MHA and MQA models have two kinds to compare, one head has one") {
    const auto kinds = [](const char* heads, const char* kv_heads) {
        return section_of(
                   run_lab({"kv_cache_memory", "--num_attention_heads", heads, "--num_key_value_heads", kv_heads}),
                   "One Token")
            .at("rows")
            .size();
    };
    CHECK(kinds("8", "8") == 2);
    CHECK(kinds("8", "1") == 2);
    CHECK(kinds("8", "2") == 3);
    CHECK(kinds("1", "1") == 1);
}

TEST_CASE("kv_cache_memory: explained in both languages; what is wrong is refused") {
    check_explained({"kv_cache_memory"});
    check_explanations({"kv_cache_memory"});
    check_explained({"kv_cache_memory", "--num_key_value_heads", "8"});
    check_refused({"kv_cache_memory", "--dtype", "int8"}, "--dtype");
    check_refused({"kv_cache_memory", "--lengths", "32769"}, "max_position_embeddings");
    check_refused({"kv_cache_memory", "--batch_size", "0"}, "--batch_size");
    check_refused({"kv_cache_memory", "--batch_size", "2000000000"}, "memory");
    check_refused({"kv_cache_memory", "--batch_size", "100000000000"}, "--batch_size");
}
