#include "lessons/rendered.hpp"

#include <algorithm>
#include <vector>

#include "console/cells.hpp"
#include "lessons/inline_text.hpp"
#include "lessons/markdown.hpp"
#include "lessons/rendered_code.hpp"
#include "lessons/rendered_table.hpp"

namespace minimind {

namespace {

using Lines = std::vector<std::string>;

void append(Lines& lines, const Lines& more) {
    lines.insert(lines.end(), more.begin(), more.end());
}

Rendering narrower(Rendering rendering, std::size_t cells) {
    rendering.width = rendering.width > cells + 10 ? rendering.width - cells : 10;
    return rendering;
}

Lines lines_of(const MarkdownBlock& block, const Rendering& rendering);

/// Blocks one after the other, an empty line between them if they are `loose`.
Lines lines_of_all(const std::vector<MarkdownBlock>& blocks, const Rendering& rendering, bool loose) {
    Lines lines;
    for (const MarkdownBlock& block : blocks) {
        const bool begins_section = block.kind == MarkdownBlock::Kind::heading && block.level <= 2;
        if (loose && !lines.empty()) lines.emplace_back();
        if (loose && !lines.empty() && begins_section) lines.emplace_back();
        append(lines, lines_of(block, rendering));
    }
    return lines;
}

/// "The one question {#question}" -> "The one question": the id is for links.
MarkdownBlock without_id(MarkdownBlock heading) {
    if (heading.spans.empty()) return heading;
    std::string& last = heading.spans.back().text;
    const std::size_t begin = last.rfind("{#");
    if (begin != std::string::npos && last.back() == '}') last.erase(begin);
    last.erase(last.find_last_not_of(' ') + 1);
    return heading;
}

/// Headings are underlined: with = the title, with - a section, with ~ what is below that.
Lines heading_lines(const MarkdownBlock& heading, const Rendering& rendering) {
    std::vector<Run> runs = runs_of(without_id(heading), rendering);
    for (Run& run : runs) run.look.is_strong = true;
    Lines lines = broken_lines(runs, rendering.width, rendering.paint);
    std::size_t widest = 0;
    for (const std::string& line : lines) widest = std::max(widest, display_width(line));
    const char underline = heading.level == 1 ? '=' : heading.level == 2 ? '-' : '~';
    lines.push_back(rendering.paint.dim(std::string(widest, underline)));
    return lines;
}

Lines paragraph_lines(const MarkdownBlock& paragraph, const Rendering& rendering) {
    const Lines shown = shown_lines(paragraph, rendering);
    if (!shown.empty()) return shown;
    return broken_lines(runs_of(paragraph, rendering), std::min(rendering.width, widest_prose), rendering.paint);
}

Lines list_lines(const MarkdownBlock& list, const Rendering& rendering) {
    Lines lines;
    int number = list.start;
    const auto last = static_cast<std::size_t>(list.start) + list.children.size() - 1;
    const std::size_t number_width = std::to_string(last).size() + 2;  // "9. "
    for (const MarkdownBlock& item : list.children) {
        const bool is_numbered = list.kind == MarkdownBlock::Kind::numbered;
        std::string before = is_numbered ? pad_right(std::to_string(number) + ".", number_width) : "- ";
        const std::size_t width = before.size();
        if (!list.is_tight && !lines.empty()) lines.emplace_back();
        Lines inner = lines_of_all(item.children, narrower(rendering, width), !list.is_tight);
        if (inner.empty()) inner.emplace_back();
        for (const std::string& line : inner) {
            lines.push_back(line.empty() ? before.substr(0, before.find_last_not_of(' ') + 1) : before + line);
            before = std::string(width, ' ');
        }
        ++number;
    }
    return lines;
}

Lines quote_lines(const MarkdownBlock& quote, const Rendering& rendering) {
    Lines lines;
    for (const std::string& line : lines_of_all(quote.children, narrower(rendering, 2), true)) {
        lines.push_back(rendering.paint.dim("|") + (line.empty() ? "" : " " + line));
    }
    return lines;
}

Lines lines_of(const MarkdownBlock& block, const Rendering& rendering) {
    switch (block.kind) {
        case MarkdownBlock::Kind::heading:
            return heading_lines(block, rendering);
        case MarkdownBlock::Kind::paragraph:
            return paragraph_lines(block, rendering);
        case MarkdownBlock::Kind::code:
            return code_lines(block, rendering);
        case MarkdownBlock::Kind::bullets:
        case MarkdownBlock::Kind::numbered:
            return list_lines(block, rendering);
        case MarkdownBlock::Kind::quote:
            return quote_lines(block, rendering);
        case MarkdownBlock::Kind::table:
            return table_lines(block, rendering);
        case MarkdownBlock::Kind::rule:
            return {rendering.paint.dim(std::string(std::min(rendering.width, widest_prose), '-'))};
        default:
            return lines_of_all(block.children, rendering, true);
    }
}

}  // namespace

std::string rendered_markdown(std::string_view markdown, const Rendering& rendering) {
    std::string text;
    for (const std::string& line : lines_of(parse_markdown(markdown), narrower(rendering, 0))) text += line + "\n";
    return text;
}

}  // namespace minimind
