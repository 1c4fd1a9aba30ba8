// The byte-level alphabet of GPT-2 (Radford et al. 2019): a printable character for each of the 256 bytes, so that any
// text can be spelled in a vocabulary of strings and no byte is ever unknown.
//
//   bytes 33-126, 161-172, 174-255   stand for themselves (as Latin-1 characters)
//   the other 68, in their order     are U+0100, U+0101, ...: the space becomes "Ġ" (U+0120), the newline "Ċ" (U+010A)
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace minimind {

/// The character that stands for `byte`, in UTF-8.
const std::string& byte_level_character(unsigned char byte);

/// "你" -> "ä½ł": each byte as its character.
std::string to_byte_level(std::string_view bytes);

/// The other way round; nothing if the token has a character outside the alphabet.
std::optional<std::string> from_byte_level(std::string_view token);

}  // namespace minimind
