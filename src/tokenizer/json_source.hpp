// JSON files that nobody vouches for: read, checked against limits, parsed by nlohmann-json, and taken apart with
// errors that name the file and the field.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace minimind {

/// The file's bytes. Throws Error if it cannot be read, is a directory, or is larger than 256 MiB.
std::string read_text_file(const std::filesystem::path& path);

/// Parses JSON whose keys need no order. Throws Error, at `where` with line and column, for what is no JSON, is nested
/// deeper than 100 levels, or looks like a Git LFS pointer or a web page.
nlohmann::json parse_json_source(std::string_view text, const std::string& where);

/// The same, keys in the order of the text. That kind of object searches its keys one by one, so one with more than
/// 5000 is refused, and so are whole numbers beyond 64 bits, whose digits would be lost.
nlohmann::ordered_json parse_ordered_json_source(std::string_view text, const std::string& where);

/// One JSON object and where it is ("tokenizer.json: model"). A field that is null counts as absent.
class JsonFields {
  public:
    /// Throws Error if `value` is no object. `value` must outlive this.
    JsonFields(const nlohmann::json& value, std::string where);

    bool has(const std::string& key) const;
    /// The field's value, whatever it is; throws Error if it is absent.
    const nlohmann::json& at(const std::string& key) const;
    /// Each throws Error if the field is there with another type, or is absent and has no fallback.
    std::string text(const std::string& key) const;
    std::string text(const std::string& key, const std::string& fallback) const;
    bool flag(const std::string& key, bool fallback) const;
    const nlohmann::json& list(const std::string& key) const;
    JsonFields fields(const std::string& key) const;

    const std::string& where() const { return where_; }
    const nlohmann::json& value() const { return *value_; }
    std::string where(const std::string& key) const { return where_ + "." + key; }

  private:
    const nlohmann::json* value_;
    std::string where_;
};

/// A token id: a whole number from 0 to 2^31 - 1. Throws Error, with the token's name, otherwise.
std::int32_t json_token_id(const nlohmann::json& value, const std::string& token, const std::string& where);

}  // namespace minimind
