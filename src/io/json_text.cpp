#include "io/json_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/error.hpp"

namespace minimind {

namespace {

using nlohmann::json;

/// "line 3, column 14" of a byte of the text, both counted from 1.
std::string position_of(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

/// Runs over a text before it is parsed: refuses deep nesting, keys that come twice in one object, and wrong syntax. (The
/// parser's own callback could do this, but it takes time proportional to the square of the number of keys.)
class TextCheck : public json::json_sax_t {
  public:
    TextCheck(std::string_view text, const std::string& where, const JsonLimits& limits)
        : text_(text), where_(where), limits_(limits) {}

    bool start_object(std::size_t) override {
        keys_.emplace_back();
        return enter();
    }
    bool end_object() override {
        keys_.pop_back();
        return leave();
    }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override { return leave(); }

    bool key(std::string& name) override {
        if (limits_.duplicate_keys || keys_.back().insert(name).second) return true;
        throw Error(fmt::format("the key \"{}\" comes twice in one JSON object", printable(name))).at(where_);
    }

    bool parse_error(std::size_t byte, const std::string&, const json::exception& error) override {
        constexpr int number_out_of_range = 406;  // the number of nlohmann-json's error
        if (error.id == number_out_of_range) throw Error("this JSON holds a number that is out of range").at(where_);
        throw Error("this is not valid JSON").at(where_).note("at " + position_of(text_, byte));
    }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t) override { return true; }
    bool number_unsigned(std::uint64_t) override { return true; }
    bool number_float(double, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(json::binary_t&) override { return true; }

  private:
    bool enter() {
        if (++depth_ <= limits_.depth) return true;
        throw Error(fmt::format("the JSON is nested more than {} deep", limits_.depth)).at(where_);
    }
    bool leave() {
        --depth_;
        return true;
    }

    std::string_view text_;
    const std::string& where_;
    const JsonLimits& limits_;
    int depth_ = 0;
    std::vector<std::set<std::string>> keys_;  // one set for each open object
};

}  // namespace

json parse_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
    if (text.size() > limits.bytes) {
        throw Error(fmt::format("{} bytes of JSON are more than the {} that are accepted", text.size(), limits.bytes))
            .at(where);
    }
    TextCheck check(text, where, limits);
    json::sax_parse(text.begin(), text.end(), &check);
    return json::parse(text.begin(), text.end());
}

std::string json_kind(const json& value) {
    if (value.is_null()) return "null";
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_string()) return fmt::format("the string \"{}\"", printable(value.get_ref<const std::string&>(), 40));
    if (value.is_number()) return "the number " + value.dump();
    return value.is_array() ? "a list" : "an object";
}

std::string printable(std::string_view text, std::size_t limit) {
    std::string result;
    for (const char c : text.substr(0, limit)) {
        const unsigned char byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            result += fmt::format("\\x{:02x}", byte);
        } else {
            result += c;
        }
    }
    if (text.size() > limit) {
        // Do not cut a character of several bytes in two.
        while (!result.empty() && (static_cast<unsigned char>(text[limit]) & 0xc0u) == 0x80u &&
               (static_cast<unsigned char>(result.back()) & 0x80u) != 0) {
            const bool lead = (static_cast<unsigned char>(result.back()) & 0xc0u) == 0xc0u;
            result.pop_back();
            if (lead) break;
        }
        result += "...";
    }
    return result;
}

}  // namespace minimind
