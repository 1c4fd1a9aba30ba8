// A Markdown text as a tree of blocks: CommonMark with GitHub's tables and ~~struck~~ text, parsed by md4c. HTML is
// plain text here, so that <|im_start|> can be written as it is.
//
//   # Title            heading  level 1, spans "Title"
//   - a `b`            bullets > item > paragraph, spans "a " and "b" (code)
//   ```console         code     info "console", text "$ labs/run\n"
//   | a | b |          table > row > cell, spans
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace minimind {

struct MarkdownLink {
    std::string address;
    std::string title;
};

/// A run of text that looks the same throughout.
struct MarkdownSpan {
    enum class Kind { text, soft_break, hard_break };
    Kind kind = Kind::text;
    std::string text;
    bool is_strong = false;
    bool is_emphasis = false;
    bool is_struck = false;
    bool is_code = false;
    int link = -1;  // index in the block's links, -1 for none
};

struct MarkdownBlock {
    enum class Kind { document, heading, paragraph, code, quote, bullets, numbered, item, table, row, cell, rule };
    enum class Align { left, center, right };

    Kind kind = Kind::document;
    int level = 0;          // of a heading: 1 to 6
    int start = 1;          // of a numbered list
    bool is_tight = false;  // of a list: no empty lines between its items
    bool is_head = false;   // of a table's row
    Align align = Align::left;
    std::string info;                     // of a code block: what follows its opening fence
    std::string text;                     // of a code block, each line with its newline
    std::vector<MarkdownSpan> spans;      // of a heading, a paragraph, a cell
    std::vector<MarkdownLink> links;      // that the spans refer to
    std::vector<MarkdownBlock> children;  // of all others
};

/// The document block. Throws Error where blocks are nested more than 100 deep.
MarkdownBlock parse_markdown(std::string_view markdown);

/// The text of spans without any marks.
std::string plain_text(const std::vector<MarkdownSpan>& spans);

}  // namespace minimind
