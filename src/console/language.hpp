// The language of prose. Names, flags, ids, JSON keys and numbers are the same in every language.
#pragma once

#include <string>
#include <string_view>

#include "console/terminal.hpp"

namespace minimind {

enum class Language { en, zh };

/// `flag` (the value of --lang, "" if it was not given) decides; then the first of MINIMIND_LANG, LC_ALL, LC_MESSAGES
/// and LANG that is set and not empty: Chinese if it begins with zh, else English. Throws Error for a flag that is
/// neither "en" nor "zh".
Language choose_language(std::string_view flag, const Environment& environment = environment_variable);

/// "en" or "zh".
std::string language_code(Language language);

/// The text of the language, or the other one where it is missing.
std::string text(Language language, std::string_view en, std::string_view zh);

/// A text in both languages.
struct Words {
    std::string en;
    std::string zh;

    std::string in(Language language) const { return text(language, en, zh); }
    bool empty() const { return en.empty() && zh.empty(); }
};

}  // namespace minimind
