// A lab's output as a program reads it: --format json.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/json_of.hpp"
#include "support/run_program.hpp"

namespace minimind {

/// Sizes that are all different, so that a swapped axis shows; on one thread, since on a busy machine two would wait for
/// each other.
inline const std::vector<std::string> different_sizes = {"--threads",
                                                         "1",
                                                         "--hidden_size",
                                                         "96",
                                                         "--num_hidden_layers",
                                                         "5",
                                                         "--num_attention_heads",
                                                         "6",
                                                         "--num_key_value_heads",
                                                         "2",
                                                         "--head_dim",
                                                         "20",
                                                         "--batch_size",
                                                         "4",
                                                         "--seq_len",
                                                         "7"};

/// Runs a lab that must succeed, and parses what it printed.
inline nlohmann::json run_lab(std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "json"});
    const ProgramResult result = run_program(words);
    CHECK_MESSAGE(result.exit_code == 0, result.err);
    CHECK(result.err.empty());
    return json_of(result.out);
}

/// The same with the different sizes.
inline nlohmann::json run_wide(const std::string& lab, const std::vector<std::string>& flags) {
    std::vector<std::string> words = {lab};
    words.insert(words.end(), different_sizes.begin(), different_sizes.end());
    words.insert(words.end(), flags.begin(), flags.end());
    return run_lab(words);
}

/// The section of that title, in `lab`; a test that asks for one that is not there ends.
inline const nlohmann::json& section_of(const nlohmann::json& lab, const std::string& title) {
    for (const nlohmann::json& section : lab.at("sections")) {
        if (section.at("title") == title) return section;
    }
    REQUIRE_MESSAGE(false, "no section " << title);
    return lab;
}

/// The first row of a section in which `key` has this value.
inline const nlohmann::json& row_of(const nlohmann::json& section, const std::string& key,
                                    const nlohmann::json& value) {
    for (const nlohmann::json& row : section.at("rows")) {
        if (row.at(key) == value) return row;
    }
    REQUIRE_MESSAGE(false, "no row with " << key << " " << value.dump());
    return section;
}

inline double number(const nlohmann::json& object, const char* key) {
    return object.at(key).get<double>();
}

/// A command line that is wrong: exit code 2, nothing on stdout, and a message that says so.
inline void check_refused(const std::vector<std::string>& words, const std::string& message) {
    const ProgramResult result = run_program(words);
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find(message) != std::string::npos);
}

/// With --explain in both languages every section of the lab has prose, and no blank is left in it.
inline void check_explained(std::vector<std::string> words) {
    words.insert(words.end(), {"--explain", "--lang", "en"});
    const nlohmann::json english = run_lab(words);
    words.back() = "zh";
    const nlohmann::json chinese = run_lab(words);
    REQUIRE(english.at("sections").size() == chinese.at("sections").size());
    for (std::size_t i = 0; i < english.at("sections").size(); ++i) {
        const nlohmann::json& section = english.at("sections")[i];
        const std::string title = section.at("title");
        CAPTURE(title);
        const auto en = section.value("explanation", std::string());
        const auto zh = chinese.at("sections")[i].value("explanation", std::string());
        CHECK(!en.empty());
        CHECK(!zh.empty());
        CHECK(en != zh);
        CHECK(en.find('{') == std::string::npos);
        CHECK(zh.find('{') == std::string::npos);
    }
}

}  // namespace minimind
