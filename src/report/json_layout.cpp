#include "report/json_layout.hpp"

#include <algorithm>

namespace minimind {

namespace {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_list_of_plain_values(const Json& value) {
    return value.is_array() &&
           std::none_of(value.begin(), value.end(), [](const Json& v) { return v.is_structured(); });
}

/// The members of an object or array between brackets; `between` ends each but the last, `first` and `last` stand at
/// the ends.
template <typename Text>
std::string members(const Json& value, const std::string& first, const std::string& between, const std::string& last,
                    const Text& text_of) {
    std::string text;
    for (const auto& item : value.items()) {
        const std::string key = value.is_object() ? json_text(item.key()) + ": " : "";
        text += (text.empty() ? first : between) + key + text_of(item.value());
    }
    return value.is_object() ? "{" + text + last + "}" : "[" + text + last + "]";
}

std::string on_one_line(const Json& value) {
    if (!value.is_structured()) return json_text(value);
    return members(value, "", ", ", "", on_one_line);
}

/// A row of a table: its members are plain values and lists of numbers.
bool is_row(const Json& value) {
    return std::all_of(value.begin(), value.end(), [](const Json& member) {
        const bool has_text =
            member.is_array() && std::any_of(member.begin(), member.end(), [](const Json& v) { return v.is_string(); });
        return !member.is_structured() || (is_list_of_plain_values(member) && !has_text);
    });
}

/// [[1, 2, 3]]: a list of lists that takes less than a line.
bool is_short(const Json& value) {
    return value.is_array() && is_row(value) && on_one_line(value).size() <= 80;
}

std::string laid_out_from(const Json& value, std::size_t column) {
    if (!value.is_structured() || value.empty() || is_list_of_plain_values(value)) return on_one_line(value);
    if (value.front().is_array() && is_short(value)) return on_one_line(value);
    const std::string inside = "\n" + std::string(column + 2, ' ');
    const bool is_list = value.is_array();
    return members(value, inside, "," + inside, "\n" + std::string(column, ' '),
                   [&](const Json& v) { return is_list && is_row(v) ? on_one_line(v) : laid_out_from(v, column + 2); });
}

}  // namespace

std::string laid_out(const Json& value) {
    return laid_out_from(value, 0);
}

}  // namespace minimind
