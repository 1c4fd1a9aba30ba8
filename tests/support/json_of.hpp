// nlohmann-json's parser for tests, compiled once: it is large. Throws what the parser throws.
#pragma once

#include <istream>
#include <nlohmann/json.hpp>
#include <string>

namespace minimind {

nlohmann::json json_of(const std::string& text);
nlohmann::json json_of(std::istream& stream);
nlohmann::ordered_json ordered_json_of(const std::string& text);
nlohmann::ordered_json ordered_json_of(std::istream& stream);

}  // namespace minimind
