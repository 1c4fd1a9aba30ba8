// gemm_shapes, at sizes that take no time. Counts by hand; the largest value of y from PyTorch with the same seed.
#include "lab_json.hpp"

using namespace minimind;

TEST_CASE("gemm_shapes: the work by token and at once") {
    const auto lab =
        run_lab({"gemm_shapes", "--hidden_size", "64", "--out", "192", "--tokens", "1,6", "--threads", "1"});
    const auto row = row_of(section_of(lab, "Work"), "tokens", 6);
    CHECK(row.at("flop") == 2 * 64 * 192 * 6);
    CHECK(row.at("bytes_by_token") == 4 * 64 * 192 * 6);
    CHECK(row.at("bytes_at_once") == 4 * 64 * 192);
    CHECK(row.at("flop_per_byte_by_token") == 0.5);
    CHECK(row.at("flop_per_byte_at_once") == 3.0);
}

TEST_CASE("gemm_shapes: both ways give the same numbers, those of PyTorch's seed") {
    // torch.manual_seed(42); W = torch.empty(2432, 768).normal_(0, 0.02); x = torch.randn(340, 768); (x @ W.T).abs().max()
    const auto lab = run_lab({"gemm_shapes", "--tokens", "340", "--threads", "1"});
    const auto values = section_of(lab, "The Same Numbers").at("values");
    CHECK(values.at("largest_value").get<double>() == doctest::Approx(3.0705285).epsilon(1e-5));
    CHECK(values.at("y.shape") == nlohmann::json({340, 2432}));
    // sums of 768 products with a result below 4, in another order: some units of 2.4e-7
    CHECK(values.at("by_token_vs_at_once_max_abs_diff").get<double>() < 5e-6);
    CHECK(values.at("by_token_vs_at_once_max_abs_diff").get<double>() > 0.0);  // two ways, really

    const auto measured = row_of(section_of(lab, "Measured On This Machine"), "tokens", 340);
    const auto by_token = measured.at("by_token_ms").get<double>();
    const auto at_once = measured.at("at_once_ms").get<double>();
    CHECK(at_once > 0.0);
    CHECK(measured.at("ratio").get<double>() == doctest::Approx(by_token / at_once));
    // 1,270 MFLOP, told as GFLOP/s
    CHECK(measured.at("at_once_gflops").get<double>() == doctest::Approx(1270.0874 / at_once).epsilon(1e-4));
}

TEST_CASE("gemm_shapes: explained in both languages; what is wrong is refused") {
    check_explained({"gemm_shapes", "--hidden_size", "7", "--out", "5", "--tokens", "4"});
    check_refused({"gemm_shapes", "--tokens", "1,0"}, "0 is no number of tokens");
    check_refused({"gemm_shapes", "--tokens", "-3"}, "-3 is no number of tokens");
    check_refused({"gemm_shapes", "--tokens", ""}, "--tokens");
    check_refused({"gemm_shapes", "--hidden_size", "0"}, "--hidden_size");
    check_refused({"gemm_shapes", "--hidden_size", "1000000000", "--out", "1000000000"}, "memory");
    check_refused({"gemm_shapes", "--dim", "64"}, "--hidden_size");
}
