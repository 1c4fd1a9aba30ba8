#include "lessons/line_breaking.hpp"

#include <algorithm>

#include "console/cells.hpp"
#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

/// The text of all runs, and whose each byte is.
struct PlainText {
    std::string text;
    std::vector<const Look*> looks;
};

PlainText plain_text_of(const std::vector<Run>& runs) {
    PlainText plain;
    for (const Run& run : runs) {
        plain.text += run.text;
        plain.looks.resize(plain.text.size(), &run.look);
    }
    return plain;
}

/// Bytes `first` to `end` (excluded) in their colours.
std::string painted_bytes(const PlainText& plain, std::size_t first, std::size_t end, const Paint& paint) {
    std::string line;
    for (std::size_t i = first; i < end;) {
        const Look& look = *plain.looks[i];
        const std::size_t begin = i;
        while (i < end && *plain.looks[i] == look) ++i;
        line += painted(std::string_view(plain.text).substr(begin, i - begin), look, paint);
    }
    return line;
}

/// Paint has no italics: they are no colour.
std::string italic(std::string_view text, const Paint& paint) {
    return paint.is_on() ? "\x1b[3m" + std::string(text) + "\x1b[0m" : std::string(text);
}

}  // namespace

std::string painted(std::string_view text, const Look& look, const Paint& paint) {
    std::string result(text);
    if (look.is_code) result = paint.cyan(result);
    if (look.is_link && !look.is_code) result = paint.blue(result);
    if (look.is_emphasis) result = italic(result, paint);
    if (look.is_strong) result = paint.bold(result);
    if (look.is_faint) result = paint.dim(result);
    return result;
}

std::vector<std::string> broken_lines(const std::vector<Run>& runs, std::size_t cells, const Paint& paint) {
    const PlainText plain = plain_text_of(runs);
    std::vector<std::string> lines;
    std::size_t at = 0;
    for (const std::string& line : wrap(plain.text, cells)) {
        at = plain.text.find(line, at);  // behind the spaces where the line before was broken
        const std::size_t end = at + line.find_last_not_of(' ') + 1;
        lines.push_back(painted_bytes(plain, at, end, paint));
        at += line.size();
    }
    return lines;
}

std::size_t unbroken_width(const std::vector<Run>& runs) {
    const std::string text = plain_text_of(runs).text;
    std::size_t widest = 0;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        widest = std::max(widest, display_width(std::string_view(text).substr(begin, end - begin)));
        begin = end + 1;
    }
    return widest;
}

std::size_t longest_piece(const std::vector<Run>& runs) {
    const std::string text = plain_text_of(runs).text;
    std::size_t longest = 0;
    std::size_t cells = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view character = std::string_view(text).substr(at, utf8_unit_at(text, at).size);
        const bool is_chinese = is_wide(character) && !is_wide_punctuation(character);
        if (is_chinese || character == " " || character == "\n") cells = 0;
        if (character != " " && character != "\n") cells += display_width(character);
        longest = std::max(longest, cells);
        at += character.size();
    }
    return longest;
}

bool is_wide(std::string_view character) {
    return display_width(character) == 2;
}

bool is_wide_punctuation(std::string_view character) {
    static constexpr std::string_view marks = "，。、；：？！（）《》「」『』【】〈〉～％";
    return is_wide(character) && marks.find(character) != std::string_view::npos;
}

}  // namespace minimind
