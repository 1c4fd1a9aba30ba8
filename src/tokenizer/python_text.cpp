#include "tokenizer/python_text.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <cmath>

#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

std::string escaped(char32_t code_point) {
    const auto number = static_cast<std::uint32_t>(code_point);
    if (number < 0x100) return fmt::format("\\x{:02x}", number);
    if (number < 0x10000) return fmt::format("\\u{:04x}", number);
    return fmt::format("\\U{:08x}", number);
}

std::string json_string(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        switch (c) {
            case '"':
                result += "\\\"";
                break;
            case '\\':
                result += "\\\\";
                break;
            case '\n':
                result += "\\n";
                break;
            case '\r':
                result += "\\r";
                break;
            case '\t':
                result += "\\t";
                break;
            case '\b':
                result += "\\b";
                break;
            case '\f':
                result += "\\f";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
                } else {
                    result += c;
                }
        }
    }
    return result + "\"";
}

}  // namespace

bool is_printable(char32_t code_point) {
    if (code_point == U' ') return true;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
        case UTF8PROC_CATEGORY_ZS:
            return false;
        default:
            return true;
    }
}

std::string python_repr(std::string_view text) {
    const bool has_single = text.find('\'') != std::string_view::npos;
    const bool has_double = text.find('"') != std::string_view::npos;
    const char32_t quote = has_single && !has_double ? U'"' : U'\'';
    std::u32string_view plain_escapes = U"\n\r\t";
    std::string result;
    append_utf8(result, quote);
    for (const char32_t c : decode_utf8(replace_invalid_utf8(text))) {
        if (const std::size_t which = plain_escapes.find(c); which != std::u32string_view::npos) {
            result += '\\';
            result += "nrt"[which];
        } else if (c == quote || c == U'\\') {
            result += '\\';
            append_utf8(result, c);
        } else if (is_printable(c)) {
            append_utf8(result, c);
        } else {
            result += escaped(c);
        }
    }
    append_utf8(result, quote);
    return result;
}

std::string short_repr(std::string_view text, std::size_t limit) {
    const std::string head = replace_invalid_utf8(text.substr(0, limit * 4));  // 4 bytes are the most a character has
    const std::u32string characters = decode_utf8(head);
    if (characters.size() <= limit && text.size() <= limit * 4) return python_repr(text);
    return python_repr(encode_utf8(std::u32string_view(characters).substr(0, limit))) + "...";
}

std::string python_float(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    // fmt prints the shortest digits and turns to an exponent where Python does: below 1e-4 and from 1e16.
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string python_json(const nlohmann::ordered_json& value) {
    if (value.is_string()) return json_string(value.get_ref<const std::string&>());
    if (value.is_number_float()) return python_float(value.get<double>());
    if (value.is_array()) {
        std::string list;
        for (const auto& element : value) list += (list.empty() ? "" : ", ") + python_json(element);
        return "[" + list + "]";
    }
    if (value.is_object()) {
        std::string members;
        for (const auto& [key, member] : value.items()) {
            members += (members.empty() ? "" : ", ") + json_string(key) + ": " + python_json(member);
        }
        return "{" + members + "}";
    }
    return value.dump();  // null, true, false and whole numbers are spelled as in Python
}

}  // namespace minimind
