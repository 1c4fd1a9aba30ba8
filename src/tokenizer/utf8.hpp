// UTF-8: one code point is one to four bytes (Unicode standard, section 3.9, table 3-7).
//
//   U+0000 .. U+007F     0xxxxxxx
//   U+0080 .. U+07FF     110xxxxx 10xxxxxx
//   U+0800 .. U+FFFF     1110xxxx 10xxxxxx 10xxxxxx               without the surrogates D800 .. DFFF
//   U+10000 .. U+10FFFF  11110xxx 10xxxxxx 10xxxxxx 10xxxxxx
//
// A token of a byte-level tokenizer may end in the middle of a character, so bytes that are not (yet) UTF-8 are
// everyday business here: text from a user must be valid, bytes from a model are repaired as Python's
// decode(errors="replace") does it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace minimind {

/// What stands in for bytes that are no character: U+FFFD.
inline constexpr char32_t replacement_character = 0xFFFD;

/// What begins at one place of a text.
struct Utf8Unit {
    enum class Kind {
        character,   ///< a whole code point
        invalid,     ///< `size` bytes that can never become one: the longest piece to replace by one U+FFFD
        incomplete,  ///< the text ends inside a code point that is right so far
    };
    Kind kind = Kind::character;
    char32_t code_point = 0;
    std::size_t size = 0;
};

/// The unit at byte `at` of `text`. Precondition: at < text.size().
Utf8Unit utf8_unit_at(std::string_view text, std::size_t at);

/// Appends the one to four bytes of `code_point`; what is no code point becomes U+FFFD.
void append_utf8(std::string& text, char32_t code_point);

/// The offset of the first byte that is not part of a character, if there is one.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Throws Error with the offset and the byte if `text` is not UTF-8. `where` says what was read (a flag, a file).
void require_utf8(std::string_view text, const std::string& where);

/// The code points of `text`. Throws Error as require_utf8.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view code_points);

/// `bytes` with each piece that is no character replaced by one U+FFFD: bytes.decode("utf-8", errors="replace").
std::string replace_invalid_utf8(std::string_view bytes);

/// The same for bytes that come in parts: characters are given out as soon as they are whole.
/// The concatenation of all results equals replace_invalid_utf8 of the concatenation of all bytes.
class Utf8Stream {
  public:
    /// Takes more bytes; returns the characters that are whole now. At most 3 bytes are held back.
    std::string feed(std::string_view bytes);
    /// The end: what is held back can no longer become a character and gives one U+FFFD, else nothing.
    std::string finish();

  private:
    std::string held_back_;
};

}  // namespace minimind
