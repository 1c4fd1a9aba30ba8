// What `diff` says.
#pragma once

#include <string>
#include <vector>

#include "stepper/command.hpp"
#include "stepper/difference_dump.hpp"

namespace minimind {

/// Selected values of a stage, copied: the recording may be made again for another layer's.
struct SelectedStage {
    Site site;
    Selection selection;
    std::vector<float> values;
    Shape shape;
    std::string text;  // "q_rope[0, :]"

    TensorView view() const { return {values.data(), shape}; }
    /// The name of the element at an index of the selection.
    std::string element(const std::vector<std::int64_t>& index) const;
};

/// How two of them differ, in a few lines. Precondition: equal shapes. Throws Error if they are empty.
std::string difference_text(const SessionState& session, const SelectedStage& a, const SelectedStage& b);

/// The first stage at which a run and a dump part.
std::string first_difference_text(const SessionState& session, const DumpedStage& stage);

}  // namespace minimind
