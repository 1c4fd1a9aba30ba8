// JSON from a file that nobody vouches for: parsed by nlohmann-json within limits, with messages for a person.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace minimind {

struct JsonLimits {
    std::size_t bytes = std::size_t{16} << 20;
    int depth = 64;
    /// JSON leaves open what a key that comes twice means. Where the order matters to nobody the last one may count.
    bool duplicate_keys = false;
};

/// The parsed text. Throws Error, at `where`, with line and column of what is wrong.
nlohmann::json parse_json(std::string_view text, const std::string& where, const JsonLimits& limits = {});

/// "a number", "a string", "an object", ...: what a value is, for "expected a number, found a string".
std::string json_kind(const nlohmann::json& value);

/// A piece of text from an untrusted file, made fit for a terminal: no control bytes, at most `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 120);

}  // namespace minimind
