#include "lessons/markdown_events.hpp"

#include <utility>

#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

std::string attribute_text(const MD_ATTRIBUTE& attribute) {
    std::string text;
    for (std::size_t i = 0; attribute.size > 0 && attribute.substr_offsets[i] < attribute.size; ++i) {
        const MD_OFFSET begin = attribute.substr_offsets[i];
        const std::string_view part(attribute.text + begin, attribute.substr_offsets[i + 1] - begin);
        text += attribute.substr_types[i] == MD_TEXT_ENTITY ? entity_text(part) : std::string(part);
    }
    return text;
}

MarkdownBlock::Align align_of(MD_ALIGN align) {
    if (align == MD_ALIGN_CENTER) return MarkdownBlock::Align::center;
    return align == MD_ALIGN_RIGHT ? MarkdownBlock::Align::right : MarkdownBlock::Align::left;
}

MarkdownBlock::Kind kind_of(MD_BLOCKTYPE type) {
    switch (type) {
        case MD_BLOCK_DOC:
            return MarkdownBlock::Kind::document;
        case MD_BLOCK_H:
            return MarkdownBlock::Kind::heading;
        case MD_BLOCK_CODE:
            return MarkdownBlock::Kind::code;
        case MD_BLOCK_QUOTE:
            return MarkdownBlock::Kind::quote;
        case MD_BLOCK_UL:
            return MarkdownBlock::Kind::bullets;
        case MD_BLOCK_OL:
            return MarkdownBlock::Kind::numbered;
        case MD_BLOCK_LI:
            return MarkdownBlock::Kind::item;
        case MD_BLOCK_HR:
            return MarkdownBlock::Kind::rule;
        case MD_BLOCK_TABLE:
            return MarkdownBlock::Kind::table;
        case MD_BLOCK_TR:
            return MarkdownBlock::Kind::row;
        case MD_BLOCK_TH:
        case MD_BLOCK_TD:
            return MarkdownBlock::Kind::cell;
        default:
            return MarkdownBlock::Kind::paragraph;
    }
}

}  // namespace

MarkdownBlock empty_block(MD_BLOCKTYPE type, const void* detail) {
    MarkdownBlock block;
    block.kind = kind_of(type);
    if (type == MD_BLOCK_H) block.level = static_cast<int>(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level);
    if (type == MD_BLOCK_CODE) block.info = attribute_text(static_cast<const MD_BLOCK_CODE_DETAIL*>(detail)->info);
    if (type == MD_BLOCK_UL) block.is_tight = static_cast<const MD_BLOCK_UL_DETAIL*>(detail)->is_tight != 0;
    if (type == MD_BLOCK_OL) {
        const auto& list = *static_cast<const MD_BLOCK_OL_DETAIL*>(detail);
        block.start = static_cast<int>(list.start);
        block.is_tight = list.is_tight != 0;
    }
    if (block.kind == MarkdownBlock::Kind::cell) {
        block.align = align_of(static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align);
    }
    return block;
}

MarkdownLink link_of(const MD_SPAN_A_DETAIL& detail) {
    return {attribute_text(detail.href), attribute_text(detail.title)};
}

std::string entity_text(std::string_view entity) {
    static constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", "\u00a0"}};
    for (const auto& [name, character] : known) {
        if (entity == name) return std::string(character);
    }
    if (entity.substr(0, 2) != "&#") return std::string(entity);
    const bool is_hexadecimal = entity.size() > 2 && (entity[2] == 'x' || entity[2] == 'X');
    const std::string digits(entity.substr(is_hexadecimal ? 3 : 2));  // md4c passes at most seven digits and ;
    std::string character;
    append_utf8(character, static_cast<char32_t>(std::stoul(digits, nullptr, is_hexadecimal ? 16 : 10)));
    return character;
}

}  // namespace minimind
