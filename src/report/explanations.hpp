// What a lab says with --explain: a sentence or two a section, in both languages, with blanks for the sizes of the model
// at hand.
//
//   const Explanations texts = {{"Input", {"{B} x {S} ids, each below {V}.", "{B} × {S} 个 id，都小于 {V}。"}}};
//   out.explain_with(all_filled(texts, size_blanks(config, batch)));    // 2 x 6 ids, each below 6400.
#pragma once

#include <map>
#include <string>

#include "console/language.hpp"
#include "core/shape.hpp"
#include "model/config.hpp"

namespace minimind {

/// By the title of the section.
using Explanations = std::map<std::string, Words>;

/// What goes into {name}.
using Blanks = std::map<std::string, std::string>;

/// The sizes by the letters that the lessons use: B S H h k D hD kD L V I E K, n_rep, eps, max_pos; and counts with
/// their noun, for English: {h heads} is "4 query heads" or "1 query head", likewise {k heads}, {S positions}, {L blocks}.
Blanks size_blanks(const ModelConfig& config, Batch batch);

/// "1 head", "2 heads".
std::string counted(std::int64_t count, const std::string& noun);

/// The text with its blanks filled in; a name that is not among `blanks` stays as it is.
Words filled(Words words, const Blanks& blanks);
Explanations all_filled(Explanations texts, const Blanks& blanks);

}  // namespace minimind
