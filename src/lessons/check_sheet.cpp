#include "lessons/check_sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "console/cells.hpp"
#include "core/error.hpp"
#include "lessons/check_report.hpp"
#include "lessons/written_answer.hpp"
#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;

/// At most a little more than is accepted, so that an endless file is no trouble.
std::string limited_content(std::istream& stream) {
    std::string text(most_bytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

/// "id" and "answer" of a line; the sign may be full-width.
std::pair<std::string, std::string> split_line(const std::string& line, const std::string& where) {
    std::size_t first = std::string::npos;
    std::size_t length = 0;
    for (const std::string sign : {"=", ":", "＝", "："}) {
        const std::size_t at = line.find(sign);
        if (at < first) {
            first = at;
            length = sign.size();
        }
    }
    if (first == std::string::npos) {
        throw Error("a line of a worksheet is `id = answer`")
            .at(where)
            .note("found: " + truncated(visible(line), 60))
            .help("`--worksheet` prints the blank sheet; what follows # is a comment");
    }
    return {half_width(line.substr(0, first)), line.substr(first + length)};
}

/// Without a comment: all from a # on that begins the line or follows a space.
std::string without_comment(const std::string& line) {
    for (std::size_t at = line.find('#'); at != std::string::npos; at = line.find('#', at + 1)) {
        if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
    }
    return line;
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::string blank_sheet(int lesson, const std::vector<Item>& items, const Sizes& sizes, Language language) {
    std::string sheet =
        fmt::format(fmt::runtime(text(language, "# Worksheet of lesson {}\n", "# 第 {} 课练习\n")), lesson);
    sheet += "# " + sizes_text(sizes) + "\n";
    for (const std::string& line : wrap(letters_text(sizes, language), 98)) sheet += "# " + line + "\n";
    for (const Item& item : items) {
        sheet += "\n";
        for (const std::string& line : wrap(item.question.in(language), 98)) sheet += "# " + line + "\n";
        sheet += item.id + " = \n";
    }
    return sheet;
}

std::map<std::string, std::string> read_sheet(const std::string& text, const std::string& where,
                                              const std::vector<Item>& items) {
    std::map<std::string, std::string> answers;
    std::istringstream lines(text.rfind("\xEF\xBB\xBF", 0) == 0 ? text.substr(3) : text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::string content = trimmed(without_comment(line));
        if (content.empty()) continue;
        const std::string place = fmt::format("{}, line {}", where, number);
        const auto [id, answer] = split_line(content, place);
        const Item& item = find_item(items, id, place);
        if (!answers.emplace(item.id, trimmed(answer)).second) {
            throw Error(fmt::format("'{}' is answered twice", item.id)).at(place).help("leave one of the lines");
        }
    }
    return answers;
}

std::string sheet_text(const std::string& source) {
    const bool is_stdin = source == "-";
    const std::string where = is_stdin ? "standard input" : source;
    std::ifstream file;
    if (!is_stdin) {
        if (std::filesystem::is_directory(source))
            throw Error("a worksheet is a file, and this is a directory").at(source);
        file.open(source, std::ios::binary);
        if (!file) {
            throw Error("the worksheet cannot be read")
                .at(where)
                .note(std::strerror(errno))
                .help("`--check -` reads standard input; `--worksheet` prints the blank sheet");
        }
    }
    std::string text = limited_content(is_stdin ? std::cin : file);
    if (text.size() > most_bytes) throw Error("this is too long for a worksheet").at(where);
    require_utf8(text, where);
    if (text.find('\0') != std::string::npos) throw Error("this is no text").at(where);
    return text;
}

const Item& find_item(const std::vector<Item>& items, const std::string& id, const std::string& where) {
    std::vector<std::string> ids;
    for (const Item& item : items) {
        if (item.id == id) return item;
        ids.push_back(item.id);
    }
    Error error(fmt::format("the worksheet has no item '{}'", truncated(visible(id), 60)));
    error.at(where);
    const std::string nearest = nearest_name(id, ids);
    if (!nearest.empty()) error.help(fmt::format("did you mean {}?", nearest));
    throw error.note(fmt::format("its items: {}", fmt::join(ids, ", ")));
}

}  // namespace minimind
