// `touch` as a picture: a line a stage, a strip a row of the batch, a cell a position.
//
//   stage                             row 0   row 1
//                                     012345  012345
//   model.embed_tokens                ...#..  ......
//   layer 0
//     self_attn.k_rope                ...#..  ......
//     self_attn.scores                ######  ......
//     self_attn.masked_scores         ...###  ......
//
// Where the rows do not fit, the touched one is shown beside all others together; where positions do not fit, several
// share a cell, which shows the strongest of theirs.
#pragma once

#include <string>
#include <vector>

#include "stepper/command.hpp"
#include "stepper/touch.hpp"

namespace minimind {

std::string touch_picture(const SessionState& session, const Touch& touch, const std::vector<TouchedStage>& stages);

}  // namespace minimind
