#include "lessons/inline_text.hpp"

#include <cctype>
#include <filesystem>

#include "console/called_as.hpp"
#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

std::string_view first_character(std::string_view text) {
    return text.empty() ? text : text.substr(0, utf8_unit_at(text, 0).size);
}

std::string_view last_character(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && (static_cast<unsigned char>(text[--begin]) & 0xC0) == 0x80) {
    }
    return text.substr(begin);
}

/// A line break in the middle of a paragraph: a space, but none in Chinese.
std::string soft_break(std::string_view before, std::string_view after) {
    const std::string_view last = last_character(before);
    const std::string_view first = first_character(after);
    const bool is_chinese = is_wide(last) && is_wide(first);
    return is_chinese || is_wide_punctuation(last) || is_wide_punctuation(first) ? "" : " ";
}

/// 9 for "lessons/en/09_embedding.md", -1 for what is no lesson.
int lesson_number(const std::string& path) {
    const std::string name = std::filesystem::path(path).filename().string();
    const bool is_lesson = name.size() > 3 && std::isdigit(static_cast<unsigned char>(name[0])) != 0 &&
                           std::isdigit(static_cast<unsigned char>(name[1])) != 0 && name[2] == '_';
    return is_lesson && path.starts_with("lessons/") ? std::stoi(name.substr(0, 2)) : -1;
}

Look look_of(const MarkdownSpan& span) {
    Look look;
    look.is_strong = span.is_strong;
    look.is_emphasis = span.is_emphasis;
    look.is_code = span.is_code;
    look.is_link = span.link >= 0;
    look.is_faint = span.is_struck;
    return look;
}

/// Appends runs, and marks where emphasis begins and ends, if there is no colour to show it.
class RunBuilder {
  public:
    explicit RunBuilder(bool with_marks) : with_marks_(with_marks) {}

    /// `text` is that of the span, or the space or newline that stands for a line break.
    void add(const MarkdownSpan& span, const std::string& text) {
        const Look look = look_of(span);
        const bool in_backticks = with_marks_ && look.is_code && span.kind == MarkdownSpan::Kind::text;
        if (with_marks_) change(look);
        runs_.push_back({in_backticks ? "`" + text + "`" : text, look});
    }
    void add_address(const std::string& address, Language language) {
        Look faint;
        faint.is_faint = true;
        runs_.push_back({text(language, " (" + address + ")", "（" + address + "）"), faint});
    }

    std::vector<Run> finish() {
        if (with_marks_) change(Look{});
        return std::move(runs_);
    }

  private:
    void change(const Look& look) {
        if (current_.is_emphasis && !look.is_emphasis) runs_.push_back({"_", current_});
        if (current_.is_strong != look.is_strong) runs_.push_back({"*", current_.is_strong ? current_ : look});
        if (!current_.is_emphasis && look.is_emphasis) runs_.push_back({"_", look});
        current_ = look;
    }

    bool with_marks_;
    Look current_;
    std::vector<Run> runs_;
};

/// The text that a link shows: its spans lie side by side.
std::string text_of_link(const std::vector<MarkdownSpan>& spans, int link) {
    std::vector<MarkdownSpan> own;
    for (const MarkdownSpan& span : spans) {
        if (span.link == link) own.push_back(span);
    }
    return plain_text(own);
}

}  // namespace

std::vector<Run> runs_of(const MarkdownBlock& block, const Rendering& rendering) {
    RunBuilder runs(!rendering.paint.is_on());
    const std::vector<MarkdownSpan>& spans = block.spans;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const MarkdownSpan& span = spans[i];
        if (span.kind == MarkdownSpan::Kind::text) {
            runs.add(span, span.text);
        } else if (span.kind == MarkdownSpan::Kind::hard_break) {
            runs.add(span, "\n");
        } else {
            const std::string_view before = i > 0 ? std::string_view(spans[i - 1].text) : "";
            const std::string_view after = i + 1 < spans.size() ? std::string_view(spans[i + 1].text) : "";
            runs.add(span, soft_break(before, after));
        }
        const bool ends_link = span.link >= 0 && (i + 1 == spans.size() || spans[i + 1].link != span.link);
        if (!ends_link) continue;
        const std::string& target = block.links[static_cast<std::size_t>(span.link)].address;
        const std::string address = shown_address(target, text_of_link(spans, span.link), rendering.folder);
        if (!address.empty()) runs.add_address(address, rendering.language);
    }
    return runs.finish();
}

std::string project_path(const std::string& address, const std::string& folder) {
    const std::string file = address.substr(0, address.find('#'));
    return (std::filesystem::path(folder) / file).lexically_normal().string();
}

std::string shown_address(const std::string& address, const std::string& text, const std::string& folder) {
    if (address.starts_with("#") || address == text) return "";
    if (address.find("://") != std::string::npos || address.starts_with("mailto:")) return address;
    const std::string path = project_path(address, folder);
    const int lesson = lesson_number(path);
    const std::string shown = lesson >= 0 ? as_called("minimind lessons " + std::to_string(lesson)) : path;
    return text.find(shown) == std::string::npos ? shown : "";
}

}  // namespace minimind
