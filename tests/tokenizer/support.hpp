// What several tests of the tokenizer use.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "core/error.hpp"
#include "support/json_of.hpp"
#include "support/text.hpp"
#include "tokenizer/tokenizer.hpp"
#include "tokenizer/utf8.hpp"

namespace minimind::testing {

inline std::filesystem::path golden(const std::string& name) {
    return std::filesystem::path(MINIMIND_GOLDEN_DIR) / "tokenizer" / name;
}

inline nlohmann::ordered_json read_json(const std::filesystem::path& path) {
    std::ifstream file(path);
    REQUIRE_MESSAGE(file.good(), path.string());
    return ordered_json_of(file);
}

/// The message of the Error that `action` throws, with where and notes; "" if it throws none.
template <typename Action>
std::string error_of(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        std::string text = std::string(error.what()) + " --> " + error.where();
        for (const std::string& note : error.notes()) text += " note: " + note;
        return text;
    }
    return "";
}

/// Text of all lengths of UTF-8, with many spaces, newlines and special tokens.
inline std::string random_text(std::mt19937& random, int length) {
    const std::u32string common = U"aab  \n\t'.1你好，\u0301é🦊<|im_end|>";
    std::u32string text;
    for (int i = 0; i < length; ++i) {
        auto c = static_cast<char32_t>(random() % 0x110000);
        if (random() % 4 != 0) c = common[random() % common.size()];
        if (c < 0xD800 || c > 0xDFFF) text += c;
    }
    return encode_utf8(text);
}

}  // namespace minimind::testing
