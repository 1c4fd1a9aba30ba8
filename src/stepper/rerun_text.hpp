// What an edit did to the rest of the pass, as text: a line a stage that moved, then loss and next token.
//
//   stage                                max |change|   relative
//   self_attn.z                                0.3254       0.52  #########
//   resid_mid                                 0.04074       0.36  ######
//   ...
//   loss  8.93327 -> 8.9152  (-0.0181)
//   next token of row 0: 471 (p 0.000961) -> 3416 (p 0.00105)
#pragma once

#include <string>

#include "stepper/command.hpp"

namespace minimind {

/// The session's recording beside the one `before`; `layer` is shown in full.
std::string effect_text(const SessionState& session, const Recording& before, int layer);

}  // namespace minimind
