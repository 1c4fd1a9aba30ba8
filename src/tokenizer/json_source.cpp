#include "tokenizer/json_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <limits>
#include <system_error>

#include "core/error.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

constexpr std::size_t max_file_bytes = std::size_t{256} << 20;
constexpr std::size_t max_depth = 100;
constexpr int max_ordered_keys = 5000;

Error wrong_type(const nlohmann::json& value, const std::string& expected, const std::string& where) {
    return Error(fmt::format("expected {}, found {}", expected, value.type_name())).at(where);
}

std::string line_and_column(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return fmt::format("line {}, column {}", line, offset - line_start + 1);
}

/// What people have in place of a file when a download went wrong.
void refuse_look_alikes(std::string_view text, const std::string& where) {
    const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    if (text.substr(0, 24) == "version https://git-lfs.") {
        throw Error("this is a Git LFS pointer, not the file itself").at(where).help("fetch it with: git lfs pull");
    }
    if (start < text.size() && text[start] == '<') {
        throw Error("this is a web page or XML, not JSON").at(where).help("download the raw file");
    }
}

/// Walks over the text once, before the parser does, and looks only at what could hurt it.
class LimitCheck {
  public:
    LimitCheck(std::string_view text, const std::string& where, bool ordered)
        : text_(text), where_(where), ordered_(ordered) {}

    void run() {
        for (std::size_t at = 0; at < text_.size(); ++at) {
            const char c = text_[at];
            if (c == '"') {
                at = end_of_string(at);
            } else if (c == '{' || c == '[') {
                if (++depth_ > max_depth) fail(at, fmt::format("JSON is nested deeper than {} levels", max_depth));
                keys_[depth_] = 0;
            } else if (c == '}' || c == ']') {
                depth_ -= depth_ > 0 ? 1 : 0;
            } else if (ordered_ && c == ':' && ++keys_[depth_] > max_ordered_keys) {
                fail(at, fmt::format("a JSON object has more than {} keys", max_ordered_keys));
            } else if (ordered_ && (std::isdigit(static_cast<unsigned char>(c)) != 0)) {
                at = end_of_number(at);
            }
        }
    }

  private:
    [[noreturn]] void fail(std::size_t at, const std::string& message) const {
        throw Error(message).at(where_ + ": " + line_and_column(text_, at));
    }

    std::size_t end_of_string(std::size_t quote) const {
        std::size_t at = quote + 1;
        while (at < text_.size() && text_[at] != '"') at += text_[at] == '\\' ? 2 : 1;
        return at;
    }

    std::size_t end_of_number(std::size_t first) const {
        const std::size_t end = std::min(text_.find_first_not_of("0123456789+-.eE", first), text_.size());
        const std::string_view number = text_.substr(first, end - first);
        if (number.size() > 18 && number.find_first_of(".eE") == std::string_view::npos) {
            fail(first, "a whole number with more than 18 digits cannot be kept exactly");
        }
        return end - 1;
    }

    std::string_view text_;
    const std::string& where_;
    bool ordered_;
    std::size_t depth_ = 0;
    std::array<int, max_depth + 1> keys_{};
};

template <typename Json>
Json parse(std::string_view text, const std::string& where, bool ordered) {
    refuse_look_alikes(text, where);
    LimitCheck(text, where, ordered).run();
    try {
        return Json::parse(text.begin(), text.end());
    } catch (const typename Json::parse_error& error) {
        const std::size_t offset = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
        throw Error(offset == text.size() ? "the JSON text ends too early" : "this is not valid JSON")
            .at(where + ": " + line_and_column(text, offset))
            .note("here: " + (offset == text.size() ? "(end of text)" : short_repr(text.substr(offset), 20)));
    } catch (const typename Json::exception&) {
        throw Error("a number in this JSON is out of range").at(where);
    }
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw Error("this is a directory, not a file").at(path.string());
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error("the file cannot be opened").at(path.string()).help("check its name and permissions");
    std::string text;
    std::array<char, 1 << 16> block{};
    while (file.read(block.data(), block.size()) || file.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > max_file_bytes) throw Error("the file is larger than 256 MiB").at(path.string());
    }
    if (file.bad()) throw Error("the file cannot be read").at(path.string());
    return text;
}

nlohmann::json parse_json_source(std::string_view text, const std::string& where) {
    return parse<nlohmann::json>(text, where, false);
}

nlohmann::ordered_json parse_ordered_json_source(std::string_view text, const std::string& where) {
    return parse<nlohmann::ordered_json>(text, where, true);
}

JsonFields::JsonFields(const nlohmann::json& value, std::string where) : value_(&value), where_(std::move(where)) {
    if (!value.is_object()) throw wrong_type(value, "an object", where_);
}

bool JsonFields::has(const std::string& key) const {
    const auto found = value_->find(key);
    return found != value_->end() && !found->is_null();
}

const nlohmann::json& JsonFields::at(const std::string& key) const {
    if (!has(key)) throw Error("the field \"" + key + "\" is missing").at(where_);
    return *value_->find(key);
}

std::string JsonFields::text(const std::string& key) const {
    const nlohmann::json& value = at(key);
    if (!value.is_string()) throw wrong_type(value, "a string", where(key));
    return value.get<std::string>();
}

std::string JsonFields::text(const std::string& key, const std::string& fallback) const {
    return has(key) ? text(key) : fallback;
}

bool JsonFields::flag(const std::string& key, bool fallback) const {
    if (!has(key)) return fallback;
    if (!at(key).is_boolean()) throw wrong_type(at(key), "true or false", where(key));
    return at(key).get<bool>();
}

const nlohmann::json& JsonFields::list(const std::string& key) const {
    if (!at(key).is_array()) throw wrong_type(at(key), "an array", where(key));
    return at(key);
}

JsonFields JsonFields::fields(const std::string& key) const {
    return JsonFields(at(key), where(key));
}

std::int32_t json_token_id(const nlohmann::json& value, const std::string& token, const std::string& where) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > largest) {
        const std::string found = value.is_number() ? value.dump() : value.type_name();
        throw Error("the id of token " + short_repr(token) + " must be a whole number from 0 to 2147483647")
            .at(where)
            .note("found " + found);
    }
    return value.get<std::int32_t>();
}

}  // namespace minimind
