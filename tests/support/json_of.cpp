#include "support/json_of.hpp"

namespace minimind {

nlohmann::json json_of(const std::string& text) {
    return nlohmann::json::parse(text);
}

nlohmann::json json_of(std::istream& stream) {
    return nlohmann::json::parse(stream);
}

nlohmann::ordered_json ordered_json_of(const std::string& text) {
    return nlohmann::ordered_json::parse(text);
}

nlohmann::ordered_json ordered_json_of(std::istream& stream) {
    return nlohmann::ordered_json::parse(stream);
}

}  // namespace minimind
