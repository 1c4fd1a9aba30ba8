#include "tokenizer/byte_level.hpp"

#include <array>

#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

constexpr bool stands_for_itself(int byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
}

struct Alphabet {
    std::array<std::string, 256> characters;  // byte -> UTF-8
    std::array<int, 0x100 + 68> bytes{};      // code point -> byte, -1 for none

    Alphabet() {
        bytes.fill(-1);
        char32_t next_free = 0x100;
        for (int byte = 0; byte < 256; ++byte) {
            const char32_t code_point = stands_for_itself(byte) ? static_cast<char32_t>(byte) : next_free++;
            append_utf8(characters[static_cast<std::size_t>(byte)], code_point);
            bytes[code_point] = byte;
        }
    }
};

const Alphabet& alphabet() {
    static const Alphabet table;
    return table;
}

}  // namespace

const std::string& byte_level_character(unsigned char byte) {
    return alphabet().characters[byte];
}

std::string to_byte_level(std::string_view bytes) {
    std::string token;
    token.reserve(bytes.size() * 2);
    for (const char byte : bytes) token += byte_level_character(static_cast<unsigned char>(byte));
    return token;
}

std::optional<std::string> from_byte_level(std::string_view token) {
    std::string bytes;
    for (std::size_t at = 0; at < token.size();) {
        const Utf8Unit unit = utf8_unit_at(token, at);
        if (unit.kind != Utf8Unit::Kind::character || unit.code_point >= alphabet().bytes.size()) return std::nullopt;
        const int byte = alphabet().bytes[unit.code_point];
        if (byte < 0) return std::nullopt;
        bytes += static_cast<char>(byte);
        at += unit.size;
    }
    return bytes;
}

}  // namespace minimind
