// tokenizer.json holds regular expressions in the dialect of Oniguruma (with Ruby's syntax); we match with PCRE2. The
// two agree on what split patterns use, but some spellings mean different things in each:
//
//   \s      PCRE2 counts U+180E as a space, Unicode and Oniguruma do not: written out as a class
//   \v      one character (U+000B) there, a class of line breaks here
//   ^ $ .   work by lines there: PCRE2_MULTILINE with \n as the only line break does the same
//
// What has another meaning and no easy equal (\w, \b, \h, nested classes, &&, (?m), verbs) is refused by name: a
// pattern that silently splits elsewhere gives wrong ids.
#pragma once

#include <string>
#include <string_view>

namespace minimind {

/// The PCRE2 pattern that matches what `pattern` matches in Oniguruma. Precondition: valid UTF-8.
/// Throws Error that names the construct.
std::string translate_pattern(std::string_view pattern);

/// The split pattern of GPT-2: contractions, words, numbers, other characters, each with the space before it, and
/// runs of spaces, of which the last one goes to what follows.
inline constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

}  // namespace minimind
