// A worksheet as a text file: a line "id = answer" for each item (or "id: answer"), comments after #.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lessons/worksheet.hpp"

namespace minimind {

/// The sheet with nothing filled in: each question as a comment above its line.
std::string blank_sheet(int lesson, const std::vector<Item>& items, const Sizes& sizes, Language language);

/// The answers by id. Throws Error, with the line, for a line of another form, an id that the worksheet does not have and
/// one that comes twice. `where` is the file's name.
std::map<std::string, std::string> read_sheet(const std::string& text, const std::string& where,
                                              const std::vector<Item>& items);

/// The text of the file, or of standard input for "-". Throws Error if it cannot be read or is no text.
std::string sheet_text(const std::string& source);

/// The item of that id. Throws Error, which suggests the nearest one.
const Item& find_item(const std::vector<Item>& items, const std::string& id, const std::string& where);

}  // namespace minimind
