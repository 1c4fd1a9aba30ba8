#include "report/source_code.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string_view>

#include "console/data_files.hpp"
#include "core/error.hpp"

namespace minimind {

namespace {

/// One declaration: lines[first] to lines[last].
struct Declaration {
    std::string head;   // without comments, up to { or ; - "arma::fmat rms_norm(const arma::fmat& x, ...)"
    std::string scope;  // "Block::" for a member of Block, else ""
    std::size_t first = 0;
    std::size_t last = 0;
    bool has_body = false;
};

constexpr std::size_t member_indent = 4;

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The line without a comment at its end: clang-format puts two spaces before one.
std::string_view code_of(std::string_view line) {
    if (const std::size_t comment = line.find("  // "); comment != std::string_view::npos)
        line = line.substr(0, comment);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    return line;
}

/// Is this the first line of a declaration at that indent, and no brace, label, comment or namespace?
bool begins_declaration(std::string_view line, std::size_t indent) {
    if (line.size() <= indent || line.find_first_not_of(' ') != indent) return false;
    const std::string_view code = code_of(line.substr(indent));
    const bool is_other = code.starts_with("}") || code.starts_with("#") || code.starts_with("//") ||
                          code.starts_with("namespace") || code.starts_with("using ");
    return !is_other;
}

/// The declaration that begins at lines[first].
Declaration declaration_at(const std::vector<std::string>& lines, std::size_t first, std::size_t indent) {
    Declaration found;
    found.first = first;
    found.last = first;
    for (; found.last < lines.size(); ++found.last) {
        const std::string_view code = code_of(lines[found.last]);
        found.head += std::string(code) + " ";
        if (code.empty() || code.back() == ';' || code.back() == '}' || code.back() == '{') break;
    }
    found.last = std::min(found.last, lines.size() - 1);
    found.has_body = found.head.find('{') != std::string::npos;
    if (code_of(lines[found.last]).empty() || code_of(lines[found.last]).back() != '{') return found;
    const std::string brace = std::string(indent, ' ') + "}";
    while (found.last + 1 < lines.size() && !lines[found.last].starts_with(brace)) ++found.last;
    return found;
}

/// "struct Block {..." -> "Block"; "" if it is no type.
std::string type_name(std::string_view head) {
    for (const std::string_view word : {"struct ", "class ", "enum class "}) {
        if (!head.starts_with(word)) continue;
        const std::string_view rest = head.substr(word.size());
        const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_character);
        return {rest.begin(), end};
    }
    return "";
}

void append_declarations(const std::vector<std::string>& lines, std::size_t begin, std::size_t end, std::size_t indent,
                         const std::string& scope, std::vector<Declaration>& all) {
    for (std::size_t i = begin; i < end; ++i) {
        if (!begins_declaration(lines[i], indent)) continue;
        Declaration found = declaration_at(lines, i, indent);
        found.scope = scope;
        found.head.erase(0, indent);
        all.push_back(found);
        const std::string type = type_name(found.head);
        if (!type.empty() && scope.empty()) {
            append_declarations(lines, found.first + 1, found.last, member_indent, type + "::", all);
        }
        i = found.last;
    }
}

/// Does the head declare that function, as in "float exponential(float x)" or "Block::Output Block::forward(...)"?
bool declares_function(const Declaration& declaration, const std::string& name) {
    const std::string& head = declaration.head;
    for (std::size_t at = head.find(name + "("); at != std::string::npos; at = head.find(name + "(", at + 1)) {
        if (at == 0) return true;
        if (head.substr(0, at).find_first_of("(={") != std::string::npos) return false;  // among the parameters
        if (!is_name_character(head[at - 1]) && head[at - 1] != '~') return true;
    }
    return false;
}

bool declares(const Declaration& declaration, const std::string& name) {
    if (name.empty()) return false;
    if (type_name(declaration.head) == name) return true;
    if (declares_function(declaration, name)) return true;
    const std::string& scope = declaration.scope;
    return !scope.empty() && name.starts_with(scope) && declares_function(declaration, name.substr(scope.size()));
}

/// What stands before the first parenthesis: the name of a function.
std::string function_name(const std::string& head) {
    const std::size_t end = head.find('(');
    if (end == std::string::npos) return type_name(head);
    std::size_t begin = end;
    while (begin > 0 && (is_name_character(head[begin - 1]) || head[begin - 1] == ':')) --begin;
    return head.substr(begin, end - begin);
}

Error no_such_function(const std::vector<Declaration>& all, const std::string& file, const std::string& name) {
    Error error("there is no function called '" + name + "' in " + file);
    std::vector<std::string> names;
    for (const Declaration& declaration : all) names.push_back(function_name(declaration.head));
    const std::string nearest = nearest_name(name, names);
    if (!nearest.empty()) error.help("did you mean " + nearest + "?");
    return error;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string content(const std::string& file) {
    std::ifstream stream(data_file(file), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// lines[first] to lines[last], with first counted from 0.
SourceCode excerpt(const std::vector<std::string>& lines, const std::string& file, std::size_t first,
                   std::size_t last) {
    SourceCode code;
    code.file = file;
    code.first_line = static_cast<int>(first) + 1;
    for (std::size_t i = first; i <= last && i < lines.size(); ++i) code.lines.push_back(lines[i]);
    return code;
}

}  // namespace

SourceCode source_lines(const std::string& file, int first, int last) {
    const std::vector<std::string> lines = lines_of(content(file));
    if (first < 1 || static_cast<std::size_t>(first) > lines.size() || last < first) {
        throw Error("there are no such lines in " + file)
            .at(std::to_string(first) + " to " + std::to_string(last))
            .note("it has " + std::to_string(lines.size()));
    }
    return excerpt(lines, file, static_cast<std::size_t>(first) - 1, static_cast<std::size_t>(last) - 1);
}

SourceCode function_source(const std::string& file, const std::string& name) {
    return function_in(content(file), file, name);
}

SourceCode function_in(const std::string& text, const std::string& file, const std::string& name) {
    const std::vector<std::string> lines = lines_of(text);
    std::vector<Declaration> all;
    append_declarations(lines, 0, lines.size(), 0, "", all);
    const Declaration* chosen = nullptr;
    for (const Declaration& declaration : all) {
        const bool is_better = chosen == nullptr || (declaration.has_body && !chosen->has_body);
        if (declares(declaration, name) && is_better) chosen = &declaration;
    }
    if (chosen == nullptr) throw no_such_function(all, file, name);

    const std::string comment = std::string(lines[chosen->first].find_first_not_of(' '), ' ') + "//";
    std::size_t first = chosen->first;
    while (first > 0 && lines[first - 1].starts_with(comment)) --first;
    return excerpt(lines, file, first, chosen->last);
}

}  // namespace minimind
