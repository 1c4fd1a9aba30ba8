// Each lab's output against what the course's PyTorch script prints, line by line. A printed float may differ by 1 in its
// last digit or by 4 float32 units in the last place (4.8e-7 of its value), whichever is more, because PyTorch's own
// sums differ by that much between machines. How many lines need that is reported.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/json_of.hpp"
#include "support/printed_numbers.hpp"
#include "support/run_program.hpp"
#include "support/text.hpp"

using namespace minimind;

namespace {

namespace fs = std::filesystem;

bool starts_with_one_of(const std::string& line, const nlohmann::json& prefixes) {
    for (const auto& prefix : prefixes) {
        if (line.rfind(prefix.get<std::string>(), 0) == 0) return true;
    }
    return false;
}

/// Rounding noise of two ways to sum: below 1e-6, and really from two ways, so not always 0.
void check_noise(const std::string& line) {
    const double value = std::stod(line.substr(line.find('=') + 1));
    CHECK_MESSAGE(value < 1e-6, line);
}

struct Tally {
    int lines = 0;
    int within_tolerance = 0;
};

void compare(const std::vector<std::string>& ours, const std::vector<std::string>& reference, const nlohmann::json& lab,
             Tally& tally) {
    REQUIRE(ours.size() == reference.size());
    for (std::size_t i = 0; i < reference.size(); ++i) {
        ++tally.lines;
        if (starts_with_one_of(reference[i], lab.value("skip_lines_starting", nlohmann::json::array()))) continue;
        if (starts_with_one_of(reference[i], lab.value("rounding_noise", nlohmann::json::array()))) {
            check_noise(ours[i]);
            continue;
        }
        if (reference[i] == "<prose>") {
            CHECK_MESSAGE(!ours[i].empty(), "an explanation in our own words");
            continue;
        }
        if (ours[i] == reference[i]) continue;
        ++tally.within_tolerance;
        CHECK_MESSAGE(equal_but_for_rounding(ours[i], reference[i]), ours[i] << " for " << reference[i]);
    }
}

bool is_lab(const std::string& name) {
    static const std::string list = run_program({"labs"}).out;
    return list.find(name + " ") != std::string::npos;
}

/// Runs and compares the labs that `choose` accepts; `more` is appended to each command line.
template <typename Choose>
Tally compare_labs(const fs::path& folder, const std::vector<std::string>& more, const Choose& choose) {
    const auto index = json_of(file_text(folder / "index.json"));
    Tally tally;
    for (const auto& lab : index) {
        const auto name = lab.at("lab").get<std::string>();
        if (!is_lab(name) || !choose(lab)) continue;
        std::vector<std::string> words = {name};
        for (const auto& word : lab.at("argv")) words.push_back(word.get<std::string>());
        words.insert(words.end(), more.begin(), more.end());
        const auto file = lab.at("file").get<std::string>();
        CAPTURE(file);
        const ProgramResult result = run_program(words);
        CHECK(result.exit_code == 0);
        compare(lines_of(result.out), lines_of(file_text(folder / file)), lab, tally);
    }
    std::printf("labs: %d lines compared, %d of them within the tolerance but not equal\n", tally.lines,
                tally.within_tolerance);
    return tally;
}

}  // namespace

TEST_CASE("the labs print what the course's labs print") {
    const Tally tally =
        compare_labs(fs::path(MINIMIND_GOLDEN_DIR) / "labs", {}, [](const nlohmann::json&) { return true; });
    CHECK(tally.lines > 1900);
}

TEST_CASE("the same with MiniMind's own tokenizer, where it is at hand") {
    // It is other people's data, so the project does not have it; the reference data beside a checkout may.
    const fs::path goldens = fs::path(MINIMIND_SOURCE_DIR) / ".." / "shared" / "goldens";
    const fs::path tokenizer = goldens / "tokenizer" / "minimind";
    if (!fs::exists(tokenizer / "tokenizer.json")) {
        MESSAGE("skipped: MiniMind's tokenizer is not at hand");
        return;
    }
    const Tally tally = compare_labs(goldens / "labs", {"--tokenizer_path", tokenizer.string()},
                                     [](const auto& lab) { return lab.value("tokenizer", "") == "minimind"; });
    CHECK(tally.lines > 500);
}
