#include "lessons/rendered_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "console/cells.hpp"
#include "core/error.hpp"
#include "lessons/inline_text.hpp"
#include "report/hook_reference.hpp"
#include "report/source_code.hpp"

namespace minimind {

namespace {

constexpr std::size_t usual_indent = 4;
constexpr std::string_view continued = "↳ ";

/// A place where a long line may well be broken: behind the first bytes of `text`.
struct BreakMark {
    std::string_view text;
    std::size_t bytes_before;
};

/// Code before a comment, or behind a comma; a command before a flag; else between two columns.
std::vector<BreakMark> break_marks(const std::string& line, const std::string& language) {
    if (language == "console" && line.starts_with("$ ")) return {{" --", 0}};
    if (language == "console" || language == "text" || language.empty()) return {{" | ", 2}, {"  ", 0}, {", ", 1}};
    return {{"  // ", 0}, {"  # ", 0}, {", ", 1}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// How far code of this width can be moved in.
std::size_t indent_of(const std::vector<std::string>& lines, std::size_t width) {
    std::size_t widest = 0;
    for (const std::string& line : lines) widest = std::max(widest, display_width(line));
    return widest < width ? std::min(usual_indent, width - widest) : 0;
}

/// How many bytes of a line fit into `cells` and are best kept together: up to the last of the marks in the second
/// half, the first mark that is there; else to the last space.
std::size_t fitting_bytes(const std::string& line, std::size_t cells, const std::vector<BreakMark>& marks) {
    const std::string fitting = wrap(line, cells).front();
    if (fitting.size() == line.size()) return fitting.size();
    for (const BreakMark& mark : marks) {
        if (mark.bytes_before > fitting.size()) continue;
        const std::size_t at = line.rfind(mark.text, fitting.size() - mark.bytes_before);
        if (at == std::string::npos || at == 0 || display_width(line.substr(0, at)) < cells / 2) continue;
        return at + mark.bytes_before;
    }
    return fitting.size();
}

/// The line, in several of at most `width` cells: those after the first are as far in as the line itself, and a little.
std::vector<std::string> folded(const std::string& line, std::size_t width, const std::vector<BreakMark>& marks) {
    if (display_width(line) <= width) return {line};
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(begin <= width / 2 ? begin : width / 4, ' ');
    std::string before = indent;
    std::string rest = line.substr(begin);
    std::vector<std::string> lines;
    while (!rest.empty()) {
        const std::size_t taken = display_width(before);
        const std::size_t bytes = fitting_bytes(rest, width > taken ? width - taken : 1, marks);
        const std::string part = rest.substr(0, bytes);
        lines.push_back(before + part.substr(0, part.find_last_not_of(' ') + 1));
        rest.erase(0, bytes);
        rest.erase(0, rest.find_first_not_of(' '));
        before = indent + std::string(continued);
    }
    return lines;
}

/// Where a comment begins, for a language that has such; else the end.
std::size_t comment_begin(const std::string& line, const std::string& language) {
    std::string sign;
    if (language == "cpp" || language == "c++") sign = "//";
    if (language == "python" || language == "sh" || language == "bash") sign = "#";
    if (sign.empty()) return line.size();
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, sign.size(), sign) == 0) return first;
    return std::min(line.find("  " + sign + " "), line.size());
}

/// The line with two spaces before a comment at its end, in place of those that align it with the lines around.
std::string with_comment_near(const std::string& line, const std::string& language) {
    const std::size_t comment = comment_begin(line, language);
    const std::size_t code_end = line.substr(0, comment).find_last_not_of(' ');
    return code_end == std::string::npos ? line : line.substr(0, code_end + 1) + line.substr(comment);
}

/// The line with its colours, as lines.
std::vector<std::string> code_line(const std::string& line, const std::string& language, std::size_t width,
                                   const Paint& paint) {
    const bool is_command = language == "console" && line.starts_with("$ ");
    const bool is_left_out = language == "console" && line == "...";
    const bool is_long = display_width(line) > width;
    const std::string text = is_long ? with_comment_near(line, language) : line;
    std::vector<std::string> lines = folded(text, width, break_marks(text, language));
    bool in_comment = false;
    for (std::string& part : lines) {
        const std::size_t comment = in_comment ? 0 : comment_begin(part, language);
        in_comment = comment < part.size();
        if (is_command) part = paint.bold(part);
        if (is_left_out) part = paint.dim(part);
        if (in_comment) part = part.substr(0, comment) + paint.dim(part.substr(comment));
    }
    return lines;
}

std::string language_of(const std::string& info) {
    return info.substr(0, info.find(' '));
}

std::vector<std::string> source_block(const std::string& function, const std::string& path, const std::string& caption,
                                      const Rendering& rendering) {
    const SourceCode code = function_source(path, function);
    std::vector<std::string> lines;
    const std::string where = caption.find(path) == std::string::npos ? caption + " (" + path + ")" : caption;
    for (const std::string& line : wrap(where, rendering.width)) lines.push_back(rendering.paint.bold(line));
    const std::size_t margin = std::min(code.lines.front().find_first_not_of(' '), usual_indent);  // of a member
    const int last_line = code.first_line + static_cast<int>(code.lines.size()) - 1;
    const std::size_t gutter = std::to_string(last_line).size() + 4;  // "  12  "
    for (std::size_t i = 0; i < code.lines.size(); ++i) {
        const std::string number = std::to_string(code.first_line + static_cast<int>(i));
        const std::string line = code.lines[i].substr(std::min(margin, code.lines[i].size()));
        std::string before = rendering.paint.dim(pad_left(number, gutter - 2)) + (line.empty() ? "" : "  ");
        const std::size_t room = rendering.width > gutter ? rendering.width - gutter : 1;
        for (const std::string& part : code_line(line, "cpp", room, rendering.paint)) {
            lines.push_back(before + part);
            before = std::string(gutter, ' ');
        }
    }
    return lines;
}

/// The one point of that name.
const PointInfo& point_called(const std::string& name) {
    const std::vector<Point> points = points_named({name});
    if (points.size() == 1) return info(points.front());
    throw Error("several hook points are called '" + name + "'").help("write one more part of its name");
}

std::vector<std::string> stage_block(const std::string& name, const Rendering& rendering) {
    const PointInfo& point = point_called(name);
    const SourceLine source = source_of(point.point);
    std::string axes(point.axes);
    for (std::size_t at = axes.find(' '); at != std::string::npos; at = axes.find(' ', at + 2))
        axes.replace(at, 1, ", ");

    std::vector<std::string> lines = {fmt::format("{}  [{}]", rendering.paint.bold(point.name), axes)};
    const auto add = [&](const std::string& label, std::string_view value) {
        const std::string before = "    " + pad_right(label, 8) + " ";
        const std::size_t width = display_width(before);
        const std::size_t room = rendering.width > width + 10 ? rendering.width - width : 10;
        std::string start = before;
        for (const std::string& part : wrap(value, room)) {
            lines.push_back(start + part);
            start = std::string(width, ' ');
        }
    };
    add(text(rendering.language, "formula", "公式"), point.formula);
    add("PyTorch", point.pytorch);
    add(text(rendering.language, "source", "源码"), fmt::format("{}:{}", source.file, source.line));
    return lines;
}

}  // namespace

std::vector<std::string> code_lines(const MarkdownBlock& code, const Rendering& rendering) {
    const std::vector<std::string> lines = lines_of(code.text);
    const std::size_t indent = indent_of(lines, rendering.width);
    std::vector<std::string> result;
    for (const std::string& line : lines) {
        for (const std::string& part :
             code_line(line, language_of(code.info), rendering.width - indent, rendering.paint)) {
            result.push_back(part.empty() ? "" : std::string(indent, ' ') + part);
        }
    }
    return result;
}

std::vector<std::string> shown_lines(const MarkdownBlock& paragraph, const Rendering& rendering) {
    const bool is_one_link = paragraph.kind == MarkdownBlock::Kind::paragraph && paragraph.links.size() == 1 &&
                             std::all_of(paragraph.spans.begin(), paragraph.spans.end(),
                                         [](const MarkdownSpan& span) { return span.link == 0; });
    if (!is_one_link) return {};
    const MarkdownLink& link = paragraph.links.front();
    const auto name_after = [&](std::string_view word) { return link.title.substr(word.size()); };
    if (link.title.starts_with("stage: ")) return stage_block(name_after("stage: "), rendering);
    if (!link.title.starts_with("show: ")) return {};
    const std::string path = project_path(link.address, rendering.folder);
    return source_block(name_after("show: "), path, plain_text(paragraph.spans), rendering);
}

}  // namespace minimind
