#include "tokenizer/utf8.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace minimind {

namespace {

/// What a first byte promises: how many bytes follow, and in which range the second one must lie. The range is
/// narrower than 80..BF where a shorter form exists (E0, F0), for surrogates (ED) and beyond U+10FFFF (F4).
struct LeadByte {
    std::size_t following = 0;
    unsigned char second_low = 0x80;
    unsigned char second_high = 0xBF;
    char32_t bits = 0;
    bool valid = true;
};

LeadByte lead_byte(unsigned char byte) {
    if (byte < 0x80) return {0, 0, 0, byte, true};
    if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF, static_cast<char32_t>(byte & 0x1F), true};
    const auto three_bits = static_cast<char32_t>(byte & 0x0F);
    if (byte == 0xE0) return {2, 0xA0, 0xBF, three_bits, true};
    if (byte == 0xED) return {2, 0x80, 0x9F, three_bits, true};
    if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF, three_bits, true};
    const auto four_bits = static_cast<char32_t>(byte & 0x07);
    if (byte == 0xF0) return {3, 0x90, 0xBF, four_bits, true};
    if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF, four_bits, true};
    if (byte == 0xF4) return {3, 0x80, 0x8F, four_bits, true};
    return {0, 0, 0, 0, false};
}

/// Appends what `bytes` holds, U+FFFD for each invalid piece. Returns the offset of an incomplete end, or the size.
std::size_t append_repaired(std::string& text, std::string_view bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        const Utf8Unit unit = utf8_unit_at(bytes, at);
        if (unit.kind == Utf8Unit::Kind::incomplete) return at;
        if (unit.kind == Utf8Unit::Kind::character) {
            text.append(bytes.substr(at, unit.size));
        } else {
            append_utf8(text, replacement_character);
        }
        at += unit.size;
    }
    return at;
}

}  // namespace

Utf8Unit utf8_unit_at(std::string_view text, std::size_t at) {
    const LeadByte lead = lead_byte(static_cast<unsigned char>(text[at]));
    if (!lead.valid) return {Utf8Unit::Kind::invalid, 0, 1};
    char32_t code_point = lead.bits;
    for (std::size_t i = 1; i <= lead.following; ++i) {
        if (at + i == text.size()) return {Utf8Unit::Kind::incomplete, 0, i};
        const auto byte = static_cast<unsigned char>(text[at + i]);
        const unsigned char low = i == 1 ? lead.second_low : 0x80;
        const unsigned char high = i == 1 ? lead.second_high : 0xBF;
        if (byte < low || byte > high) return {Utf8Unit::Kind::invalid, 0, i};
        code_point = code_point << 6 | static_cast<char32_t>(byte & 0x3F);
    }
    return {Utf8Unit::Kind::character, code_point, lead.following + 1};
}

void append_utf8(std::string& text, char32_t code_point) {
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    if (surrogate || code_point > 0x10FFFF) code_point = replacement_character;
    const auto last_six_bits = [&](int shift) { return static_cast<char>(0x80 | (code_point >> shift & 0x3F)); };
    if (code_point < 0x80) {
        text += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        text += static_cast<char>(0xC0 | code_point >> 6);
        text += last_six_bits(0);
    } else if (code_point < 0x10000) {
        text += static_cast<char>(0xE0 | code_point >> 12);
        text += last_six_bits(6);
        text += last_six_bits(0);
    } else {
        text += static_cast<char>(0xF0 | code_point >> 18);
        text += last_six_bits(12);
        text += last_six_bits(6);
        text += last_six_bits(0);
    }
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const Utf8Unit unit = utf8_unit_at(text, at);
        if (unit.kind != Utf8Unit::Kind::character) return at;
        at += unit.size;
    }
    return std::nullopt;
}

void require_utf8(std::string_view text, const std::string& where) {
    const std::optional<std::size_t> offset = first_invalid_utf8(text);
    if (!offset) return;
    const Utf8Unit unit = utf8_unit_at(text, *offset);
    const bool cut_off = unit.kind == Utf8Unit::Kind::incomplete;
    throw Error(fmt::format("the text is not valid UTF-8: byte {:#04x} at offset {} {}",
                            static_cast<unsigned char>(text[*offset]), *offset,
                            cut_off ? "begins a character that is cut off" : "does not begin a character"))
        .at(where)
        .help("convert the text to UTF-8 first, for example with: iconv -f GB18030 -t UTF-8");
}

std::u32string decode_utf8(std::string_view text) {
    require_utf8(text, "");
    std::u32string code_points;
    code_points.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Unit unit = utf8_unit_at(text, at);
        code_points += unit.code_point;
        at += unit.size;
    }
    return code_points;
}

std::string encode_utf8(std::u32string_view code_points) {
    std::string text;
    text.reserve(code_points.size());
    for (const char32_t code_point : code_points) append_utf8(text, code_point);
    return text;
}

std::string replace_invalid_utf8(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    if (append_repaired(text, bytes) < bytes.size()) append_utf8(text, replacement_character);
    return text;
}

std::string Utf8Stream::feed(std::string_view bytes) {
    held_back_.append(bytes);
    std::string text;
    const std::size_t used = append_repaired(text, held_back_);
    held_back_.erase(0, used);
    return text;
}

std::string Utf8Stream::finish() {
    std::string text;
    if (!held_back_.empty()) append_utf8(text, replacement_character);
    held_back_.clear();
    return text;
}

}  // namespace minimind
