// rope_yarn. Frequencies with YaRN are those of transformers' own implementation (ROPE_INIT_FUNCTIONS["yarn"]),
// similarities and scores were computed in PyTorch from the formulas.
#include <cmath>

#include "lab_json.hpp"
#include "lab_support.hpp"

using namespace minimind;

TEST_CASE("rope_yarn: frequencies, wavelengths and the ramp of minimind3") {
    const auto lab = run_lab({"rope_yarn"});
    const auto config = section_of(lab, "Config").at("values");
    CHECK(config.at("pairs") == 48);
    // 96 ln(2048 / (2 pi 32)) / (2 ln 1e6) = 8.06, rounded down; 96 ln(2048 / (2 pi)) / (2 ln 1e6) = 20.1, rounded up
    CHECK(config.at("yarn_ramp_from_pair") == 8.0);
    CHECK(config.at("yarn_ramp_to_pair") == 21.0);

    const auto section = section_of(lab, "Frequencies");
    struct Pair {
        int pair;
        double wavelength, yarn_frequency, yarn_wavelength;
    };
    for (const Pair& expected :
         {Pair{0, 6.283185, 1.0, 6.283185}, Pair{9, 83.787595, 0.06958152, 90.299622},
          Pair{12, 198.691765, 0.02250082, 279.242475}, Pair{18, 1117.325893, 0.001568067, 4006.961963},
          Pair{21, 2649.597148, 1.4821086e-4, 42393.554361}, Pair{47, 4711725.7098, 8.3345064e-8, 75387611.3569}}) {
        const auto row = row_of(section, "pair", expected.pair);
        CAPTURE(expected.pair);
        // float32 powers of theta: some units in the last place, 1e-7 each
        CHECK(row.at("wavelength").get<double>() == doctest::Approx(expected.wavelength).epsilon(1e-6));
        CHECK(row.at("yarn_frequency").get<double>() == doctest::Approx(expected.yarn_frequency).epsilon(1e-6));
        CHECK(row.at("yarn_wavelength").get<double>() == doctest::Approx(expected.yarn_wavelength).epsilon(1e-6));
    }
    const auto by_hand = section.at("values").at("yarn_by_hand_vs_engine_max_relative_diff").get<double>();
    CHECK(by_hand > 0.0);  // float32 in the engine, double by hand
    CHECK(by_hand < 1e-6);
}

TEST_CASE("rope_yarn: similarity against distance") {
    const auto section = section_of(run_lab({"rope_yarn"}), "Similarity Against Distance");
    struct Distance {
        int distance;
        double plain, yarn;
    };
    for (const Distance& expected :
         {Distance{0, 1.0, 1.0}, Distance{1, 0.977434, 0.977472}, Distance{128, 0.522565, 0.582913},
          Distance{2048, 0.305868, 0.519138}, Distance{32767, 0.241857, 0.353031}}) {
        const auto row = row_of(section, "distance", expected.distance);
        CAPTURE(expected.distance);
        // the angles are float32 products: at 32767 they are off by up to 0.001
        CHECK(std::abs(row.at("similarity").get<double>() - expected.plain) < 2e-4);
        CHECK(std::abs(row.at("yarn").get<double>() - expected.yarn) < 2e-4);
        CHECK(std::abs(row.at("mean_cosine").get<double>() - expected.plain) < 1e-6);
    }
}

TEST_CASE("rope_yarn: a shift of all positions changes nothing, a shift of the keys does") {
    const auto section = section_of(run_lab({"rope_yarn"}), "A Shift Of All Positions");
    // q, k = torch.randn(8, 96) twice after manual_seed(42); the largest |q k^T| of the rotated ones
    CHECK(section.at("values").at("largest_score").get<double>() == doctest::Approx(29.193138).epsilon(1e-5));
    struct Shift {
        int shift;
        double noise, keys_moved;
    };
    // The noise is that of float32 angles: 6e-8 of the angle, times scores of size 29.
    for (const Shift& expected : {Shift{1, 2e-5, 6.924232}, Shift{10, 2e-5, 17.782970}, Shift{100, 1e-4, 16.699224},
                                  Shift{1000, 1e-3, 22.512245}, Shift{10000, 1e-2, 36.204834}}) {
        const auto row = row_of(section, "shift", expected.shift);
        CAPTURE(expected.shift);
        CHECK(row.at("max_abs_diff").get<double>() > 0.0);
        CHECK(row.at("max_abs_diff").get<double>() < expected.noise);
        CHECK(row.at("float64_max_abs_diff").get<double>() < 1e-10);
        CHECK(row.at("only_keys_moved_max_abs_diff").get<double>() ==
              doctest::Approx(expected.keys_moved).epsilon(1e-4));
    }
}

TEST_CASE("rope_yarn: the tables are larger than the embedding, half of them repetition") {
    const std::string text = run_program({"rope_yarn"}).out;
    CHECK(text.find("values=6,291,456\nbytes=24.0 MiB\nbytes_repeated=12.0 MiB\n") != std::string::npos);
    const auto values = section_of(run_lab({"rope_yarn"}), "Tables").at("values");
    CHECK(values.at("bytes") == 24 * 1024 * 1024);
    CHECK(values.at("embed_tokens_bytes") == 4 * 4915200);
    CHECK(values.at("first_half_vs_second_half_max_abs_diff") == 0.0);
}

TEST_CASE("rope_yarn: YaRN leaves a model alone that is not longer than its training") {
    const auto lab = run_lab({"rope_yarn", "--preset", "tiny", "--inference_rope_scaling", "1"});
    CHECK(section_of(lab, "Config").at("values").at("yarn_applies_if_on") == false);
    for (const auto& row : section_of(lab, "Frequencies").at("rows")) {
        CHECK(row.at("frequency") == row.at("yarn_frequency"));
    }
    for (const auto& row : section_of(lab, "Similarity Against Distance").at("rows")) {
        CHECK(row.at("similarity") == row.at("yarn"));
    }
}

TEST_CASE("rope_yarn: explained in both languages; what is wrong is refused") {
    check_explained({"rope_yarn"});
    check_explanations({"rope_yarn"});
    check_refused({"rope_yarn", "--positions", "32768"}, "out of range");
    check_refused({"rope_yarn", "--positions", "1,x"}, "--positions");
    check_refused({"rope_yarn", "--shift", "32761"}, "use at most 32760");
    check_refused({"rope_yarn", "--shift", "-1"}, "--shift");
    check_refused({"rope_yarn", "--head_dim", "95"}, "95");
    check_refused({"rope_yarn", "--head_dim", "200000000"}, "memory");
    CHECK(run_program({"rope_yarn", "--max_position_embeddings", "1"}).exit_code == 0);
}
