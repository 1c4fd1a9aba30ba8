#include "console/called_as.hpp"

#include <string_view>

namespace minimind {

namespace {

constexpr std::string_view own_name = "minimind";

/// Whether a command may begin at this place of the text.
bool begins_command(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    if (before.ends_with('`')) return true;
    const std::size_t last = before.find_last_not_of(' ');
    return last == std::string_view::npos || before[last] == '\n';
}

}  // namespace

std::string as_called(const std::string& text, const Environment& environment) {
    const char* name = environment("MINIMIND_CALLED_AS");
    if (name == nullptr || *name == '\0') return text;
    std::string result;
    std::size_t copied = 0;
    for (std::size_t at = text.find(own_name); at != std::string::npos; at = text.find(own_name, at + 1)) {
        const std::size_t end = at + own_name.size();
        const bool is_word = end == text.size() || text[end] == ' ' || text[end] == '`' || text[end] == '\n';
        if (!is_word || !begins_command(text, at)) continue;
        result += text.substr(copied, at - copied) + name;
        copied = end;
    }
    return result + text.substr(copied);
}

}  // namespace minimind
