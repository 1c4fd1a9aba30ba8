#include "lessons/written_answer.hpp"

#include <algorithm>
#include <cctype>

#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

/// One character as ASCII, or itself.
char32_t half_width_of(char32_t c) {
    if (c >= 0xFF01 && c <= 0xFF5E) return c - 0xFF01 + U'!';  // full-width ASCII
    switch (c) {
        case U'\t':
        case U'\r':
        case 0x00A0:  // spaces that do not break, thin and full-width spaces
        case 0x2009:
        case 0x202F:
        case 0x3000:
            return U' ';
        case U'、':
            return U',';
        case U'。':
            return U'.';
        case U'【':
        case U'〔':
            return U'[';
        case U'】':
        case U'〕':
            return U']';
        case U'×':
        case U'✕':
        case U'✖':
            return U'x';
        case U'·':
        case U'∗':
        case U'⋅':
            return U'*';
        case U'−':
        case U'–':
            return U'-';
        default:
            return c;
    }
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n");
    if (first == std::string_view::npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(" \n") - first + 1));
}

bool is_letter_or_digit(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

/// Without "self.", "model.layers.0." and the like.
std::string without_module_path(std::string word) {
    for (const std::string prefix : {"self.", "model.", "layers.", "blocks.", "block."}) {
        if (word.rfind(prefix, 0) == 0) word.erase(0, prefix.size());
        const std::size_t digits = word.find_first_not_of("0123456789");
        if (digits != 0 && digits != std::string::npos && word[digits] == '.') word.erase(0, digits + 1);
    }
    return word;
}

}  // namespace

std::string half_width(std::string_view written) {
    std::string result;
    for (std::size_t at = 0; at < written.size();) {
        const Utf8Unit unit = utf8_unit_at(written, at);
        const bool is_character = unit.kind == Utf8Unit::Kind::character;
        append_utf8(result, is_character ? half_width_of(unit.code_point) : replacement_character);
        at += unit.size;
    }
    return trimmed(result);
}

bool is_blank(std::string_view written) {
    return half_width(written).find_first_not_of("_?. ") == std::string::npos;
}

std::string read_word(std::string_view written) {
    constexpr std::string_view dropped = " `\"'()_";
    std::string word;
    for (const char c : half_width(written)) {
        const bool is_hyphen = c == '-' && !word.empty();  // but axis -1 is not axis 1
        if (is_hyphen || dropped.find(c) != std::string_view::npos) continue;
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    while (!word.empty() && word.back() == '.') word.pop_back();
    if (word.find("\xEF\xBF\xBD") != std::string::npos) return "";  // bytes that are no text
    if (std::none_of(word.begin(), word.end(), is_letter_or_digit)) return "";
    return without_module_path(word);
}

}  // namespace minimind
