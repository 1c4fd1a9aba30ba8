// Where a session can go: the groups of stages (before the blocks, block i, after the blocks), and breakpoints.
#pragma once

#include <string>
#include <vector>

#include "stepper/command.hpp"

namespace minimind {

/// A place among the stages of its group: 11 of 30 in block 0.
struct StagePlace {
    int layer = -1;          // of the group
    bool is_before = false;  // outside the blocks: before or after them
    std::size_t number = 0;  // from 1
    std::size_t of = 0;
};
StagePlace place_of(const Recording& recording, std::size_t at);

/// "layer 0", "before the blocks", "after the blocks".
std::string group_text(const StagePlace& place, Language language);

/// "self_attn.q_rope" for a stage of the layer, else the whole name.
std::string short_name(Site site, int layer);

/// Stops at a stage: always, or if its statistics say so.
struct Breakpoint {
    enum class Condition { always, nan, inf, above, below };

    int number = 0;
    std::string pattern;  // as typed: a name means the stage in every layer, unless it has the layer in it
    Condition condition = Condition::always;
    std::string measure;  // "max", "min", "mean", "std", "rms"
    double bound = 0.0;

    bool stops_at(const Stage& stage) const;
    std::string text() const;  // "scores if max>5"
};

struct WalkState {
    std::vector<Breakpoint> breakpoints;
    int next_number = 1;
};

/// "STAGE", "STAGE if nan", "STAGE if max>5". Throws Error.
Breakpoint parse_breakpoint(const SessionState& session, const std::string& text);

/// break and delete, which walk_commands() lists among its own.
std::vector<StepCommand> breakpoint_commands();

}  // namespace minimind
