#include "console/cells.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

namespace minimind {

namespace {

/// One step through a text: a character, a byte that is none, or a whole escape sequence.
struct Piece {
    std::size_t bytes;
    std::size_t cells;
    utf8proc_int32_t code_point;  // -1: not UTF-8
};

/// The length of an escape sequence "ESC [ parameters letter" at the start of the text, 0 if there is none.
std::size_t escape_length(std::string_view text) {
    if (text.size() < 3 || text[0] != '\x1b' || text[1] != '[') return 0;
    std::size_t end = 2;
    while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x3f) ++end;
    const bool is_complete = end < text.size() && text[end] >= 0x40 && text[end] <= 0x7e;
    return is_complete ? end + 1 : 0;
}

/// The first piece of a text that is not empty.
Piece first_piece(std::string_view text) {
    if (const std::size_t length = escape_length(text); length > 0) return {length, 0, 0x1b};
    utf8proc_int32_t code_point = -1;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const auto length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    if (length <= 0) return {1, 1, -1};
    const int width = std::max(0, utf8proc_charwidth(code_point));
    return {static_cast<std::size_t>(length), static_cast<std::size_t>(width), code_point};
}

bool is_control(utf8proc_int32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
}

/// One character that must not reach a terminal as it is.
std::string escaped(std::string_view bytes, utf8proc_int32_t code_point) {
    if (code_point == '\n') return "\\n";
    if (code_point == '\r') return "\\r";
    if (code_point == '\t') return "\\t";
    std::string result;
    for (const char byte : bytes) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    return result;
}

/// The longest start of the text that takes at most `cells`, in bytes.
std::size_t fitting_bytes(std::string_view text, std::size_t cells) {
    std::size_t bytes = 0;
    std::size_t used = 0;
    while (bytes < text.size()) {
        const Piece piece = first_piece(text.substr(bytes));
        if (used + piece.cells > cells) break;
        used += piece.cells;
        bytes += piece.bytes;
    }
    return bytes;
}

/// May a line end between these two? Beside a Chinese character it may, but closing punctuation starts no line, and
/// opening punctuation ends none.
bool may_break_between(const Piece& before, const Piece& after) {
    constexpr std::u32string_view closing = U"，。、；：？！）》」』】”’…,.;:?!)]%";
    constexpr std::u32string_view opening = U"（《「『【“‘([";
    const auto is_in = [](std::u32string_view characters, utf8proc_int32_t code_point) {
        return characters.find(static_cast<char32_t>(code_point)) != std::u32string_view::npos;
    };
    const bool is_beside_chinese = before.cells == 2 || after.cells == 2;
    const bool is_after_space = before.code_point == ' ';  // the line ends before the space
    const bool is_combining = after.cells == 0;
    return is_beside_chinese && !is_after_space && !is_combining && !is_in(opening, before.code_point) &&
           !is_in(closing, after.code_point);
}

/// Where to end a line that starts the text and may take `cells`: after at least one character.
std::size_t line_bytes(std::string_view text, std::size_t cells) {
    const std::size_t fitting = fitting_bytes(text, cells);
    if (fitting == text.size() || text[fitting] == ' ') return fitting;
    std::size_t last_place = 0;
    Piece before = first_piece(text);
    for (std::size_t at = before.bytes; at <= fitting;) {
        const Piece piece = first_piece(text.substr(at));
        if (piece.code_point == ' ' || may_break_between(before, piece)) last_place = at;
        at += piece.bytes;
        before = piece;
    }
    return last_place > 0 ? last_place : std::max(fitting, first_piece(text).bytes);
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t cells = 0;
    while (!text.empty()) {
        const Piece piece = first_piece(text);
        cells += piece.cells;
        text.remove_prefix(piece.bytes);
    }
    return cells;
}

std::string pad_right(std::string_view text, std::size_t cells) {
    const std::size_t width = display_width(text);
    return std::string(text) + std::string(cells > width ? cells - width : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t cells) {
    const std::size_t width = display_width(text);
    return std::string(cells > width ? cells - width : 0, ' ') + std::string(text);
}

std::string truncated(std::string_view text, std::size_t cells) {
    if (fitting_bytes(text, cells) == text.size()) return std::string(text);
    if (cells == 0) return "";
    return std::string(text.substr(0, fitting_bytes(text, cells - 1))) + "…";
}

std::vector<std::string> wrap(std::string_view text, std::size_t cells) {
    std::vector<std::string> lines;
    while (true) {
        const std::size_t newline = text.find('\n');
        std::string_view paragraph = text.substr(0, newline);
        do {
            const std::size_t end = line_bytes(paragraph.empty() ? " " : paragraph, cells);
            lines.emplace_back(paragraph.substr(0, end));
            paragraph.remove_prefix(std::min(end, paragraph.size()));
            while (!paragraph.empty() && paragraph.front() == ' ') paragraph.remove_prefix(1);
        } while (!paragraph.empty());
        if (newline == std::string_view::npos) return lines;
        text.remove_prefix(newline + 1);
    }
}

std::string visible(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        Piece piece = first_piece(text);
        if (piece.code_point == 0x1b) piece.bytes = 1;
        const std::string_view bytes = text.substr(0, piece.bytes);
        result += is_control(piece.code_point) ? escaped(bytes, piece.code_point) : std::string(bytes);
        text.remove_prefix(piece.bytes);
    }
    return result;
}

}  // namespace minimind
