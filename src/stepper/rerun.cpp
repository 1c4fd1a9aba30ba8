// Recording again: for another layer, or with changes.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "stepper/command.hpp"

namespace minimind {

namespace {

/// The place of the same stage in another recording. Where it has none (an expert that got no token now), the next that
/// both have.
std::size_t same_place(const Recording& from, std::size_t at, const Recording& to) {
    for (std::size_t i = at; i < from.stages().size(); ++i) {
        const std::size_t found = to.find(from.stage(i).site());
        if (found != Recording::npos) return found;
    }
    return to.stages().size() - 1;
}

/// The recordings with and without edits, both of one layer.
void record(SessionState& session, const std::vector<StageEdit>& edits, int layer) {
    const TokenInput input = session.original->input();
    std::shared_ptr<const Recording> original = session.original;
    if (original->layer() != layer) {
        original = record_pass(session.model, input, {}, layer);
        ++session.passes;
    }
    std::shared_ptr<const Recording> edited = original;
    if (!edits.empty()) {
        edited = record_pass(session.model, input, edits, layer);
        ++session.passes;
    }
    session.at = same_place(*session.recording, session.at, *edited);
    session.recording = std::move(edited);
    session.original = std::move(original);
}

}  // namespace

TensorView values_of(SessionState& session, Site site, std::ostream& out) {
    if (session.recording->has(site) && !session.recording->keeps(site)) {
        out << fmt::format(fmt::runtime(session.words("(layer {} is recorded in place of layer {})\n",
                                                      "（重新录制：第 {} 层，替换第 {} 层）\n")),
                           site.layer, session.recording->layer());
        record(session, session.recording->edits(), site.layer);
    }
    return session.recording->view(site);
}

void rerun(SessionState& session, std::vector<StageEdit> edits) {
    record(session, edits, session.recording->layer());
}

}  // namespace minimind
