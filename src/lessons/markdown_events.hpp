// What md4c tells of the blocks, links and entities of a Markdown text, in the types of markdown.hpp.
#pragma once

#include <md4c.h>

#include <string>
#include <string_view>

#include "lessons/markdown.hpp"

namespace minimind {

/// A block that begins; `detail` is what md4c gives with that type.
MarkdownBlock empty_block(MD_BLOCKTYPE type, const void* detail);

MarkdownLink link_of(const MD_SPAN_A_DETAIL& detail);

/// The character that an entity like &amp; or &#x4e00; stands for; one that is not known stays as it is written.
std::string entity_text(std::string_view entity);

}  // namespace minimind
