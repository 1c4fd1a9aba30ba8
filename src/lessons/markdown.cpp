#include "lessons/markdown.hpp"

#include <md4c.h>

#include <exception>
#include <new>

#include "core/error.hpp"
#include "lessons/markdown_events.hpp"

namespace minimind {

namespace {

constexpr std::size_t most_nested = 100;

/// Two runs of text that are one.
bool looks_the_same(const MarkdownSpan& a, const MarkdownSpan& b) {
    return a.kind == MarkdownSpan::Kind::text && b.kind == MarkdownSpan::Kind::text && a.is_strong == b.is_strong &&
           a.is_emphasis == b.is_emphasis && a.is_struck == b.is_struck && a.is_code == b.is_code && a.link == b.link;
}

/// Takes md4c's events and builds the tree. `open_` are the blocks that have begun and not ended, the document first.
class TreeBuilder {
  public:
    TreeBuilder() : open_(1) {}

    void enter(MD_BLOCKTYPE type, const void* detail) {
        if (open_.size() > most_nested) throw Error("this Markdown is nested too deeply");
        if (type == MD_BLOCK_DOC || type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY) {
            in_head_ = type == MD_BLOCK_THEAD;
            return;
        }
        end_loose_text();
        open_.push_back(empty_block(type, detail));
        open_.back().is_head = in_head_;
    }

    void leave(MD_BLOCKTYPE type) {
        if (type == MD_BLOCK_THEAD) in_head_ = false;
        if (type == MD_BLOCK_DOC || type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY) return;
        end_loose_text();
        close();
    }

    void enter_span(MD_SPANTYPE type, const void* detail) {
        MarkdownBlock& block = block_of_text();
        if (type == MD_SPAN_A) {
            block.links.push_back(link_of(*static_cast<const MD_SPAN_A_DETAIL*>(detail)));
            style_.link = static_cast<int>(block.links.size()) - 1;
        }
        set_style(type, true);
    }

    void leave_span(MD_SPANTYPE type) {
        if (type == MD_SPAN_A) style_.link = -1;
        set_style(type, false);
    }

    void text(MD_TEXTTYPE type, std::string_view part) {
        MarkdownBlock& block = block_of_text();
        if (block.kind == MarkdownBlock::Kind::code) {
            block.text += part;
            return;
        }
        MarkdownSpan span = style_;
        span.text = type == MD_TEXT_ENTITY ? entity_text(part) : std::string(part);
        if (type == MD_TEXT_NULLCHAR) span.text = "\uFFFD";
        if (type == MD_TEXT_SOFTBR) span.kind = MarkdownSpan::Kind::soft_break;
        if (type == MD_TEXT_BR) span.kind = MarkdownSpan::Kind::hard_break;
        if (!block.spans.empty() && looks_the_same(block.spans.back(), span)) {
            block.spans.back().text += span.text;  // md4c gives text in pieces
        } else {
            block.spans.push_back(span);
        }
    }

    MarkdownBlock document() { return std::move(open_.front()); }

  private:
    void set_style(MD_SPANTYPE type, bool on) {
        if (type == MD_SPAN_STRONG) style_.is_strong = on;
        if (type == MD_SPAN_EM) style_.is_emphasis = on;
        if (type == MD_SPAN_DEL) style_.is_struck = on;
        if (type == MD_SPAN_CODE) style_.is_code = on;
    }

    /// Where text goes. md4c leaves out the paragraphs of a tight list; here they are there.
    MarkdownBlock& block_of_text() {
        if (open_.back().kind == MarkdownBlock::Kind::item) {
            open_.emplace_back();
            open_.back().kind = MarkdownBlock::Kind::paragraph;
            has_loose_text_ = true;
        }
        return open_.back();
    }

    void end_loose_text() {
        if (has_loose_text_) close();
        has_loose_text_ = false;
    }

    void close() {
        MarkdownBlock block = std::move(open_.back());
        open_.pop_back();
        open_.back().children.push_back(std::move(block));
    }

    std::vector<MarkdownBlock> open_;
    MarkdownSpan style_;
    bool in_head_ = false;
    bool has_loose_text_ = false;
};

/// One of md4c's callbacks. An exception must not fly through its C code: it ends the parse, and is thrown on after it.
template <typename Action>
int guarded(std::exception_ptr& thrown, const Action& action) {
    try {
        action();
        return 0;
    } catch (...) {
        thrown = std::current_exception();
        return 1;
    }
}

struct Parse {
    TreeBuilder tree;
    std::exception_ptr thrown;
};

Parse& parse_of(void* data) {
    return *static_cast<Parse*>(data);
}

}  // namespace

MarkdownBlock parse_markdown(std::string_view markdown) {
    MD_PARSER parser = {};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
        return guarded(parse_of(data).thrown, [&] { parse_of(data).tree.enter(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* data) {
        return guarded(parse_of(data).thrown, [&] { parse_of(data).tree.leave(type); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* data) {
        return guarded(parse_of(data).thrown, [&] { parse_of(data).tree.enter_span(type, detail); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* data) {
        return guarded(parse_of(data).thrown, [&] { parse_of(data).tree.leave_span(type); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
        return guarded(parse_of(data).thrown, [&] { parse_of(data).tree.text(type, {text, size}); });
    };
    Parse parse;
    const int status = md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &parse);
    if (parse.thrown) std::rethrow_exception(parse.thrown);
    if (status != 0) throw std::bad_alloc();  // md4c has no other failure
    return parse.tree.document();
}

std::string plain_text(const std::vector<MarkdownSpan>& spans) {
    std::string text;
    for (const MarkdownSpan& span : spans) text += span.kind == MarkdownSpan::Kind::text ? span.text : " ";
    return text;
}

}  // namespace minimind
