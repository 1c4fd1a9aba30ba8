#include "console/language.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace minimind {

namespace {

bool is_chinese(std::string_view locale) {
    return locale.substr(0, 2) == "zh";
}

}  // namespace

Language choose_language(std::string_view flag, const Environment& environment) {
    if (flag == "en") return Language::en;
    if (flag == "zh") return Language::zh;
    if (!flag.empty()) {
        throw Error(fmt::format("unknown language '{}'", flag))
            .at(fmt::format("--lang {}", flag))
            .note("known: en, zh");
    }
    for (const char* name : {"MINIMIND_LANG", "LC_ALL", "LC_MESSAGES", "LANG"}) {
        const char* locale = environment(name);
        if (locale != nullptr && *locale != '\0') return is_chinese(locale) ? Language::zh : Language::en;
    }
    return Language::en;
}

std::string language_code(Language language) {
    return language == Language::zh ? "zh" : "en";
}

std::string text(Language language, std::string_view en, std::string_view zh) {
    const bool wants_zh = language == Language::zh;
    const std::string_view wanted = wants_zh ? zh : en;
    return std::string(wanted.empty() ? (wants_zh ? en : zh) : wanted);
}

}  // namespace minimind
