// The two passes that `touch` compares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "report/trace_report.hpp"
#include "stepper/touch.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

Error no_such_position(const Recording& recording, const Touch& touch) {
    const std::int64_t length = recording.past() + recording.batch().seq;
    Error error(fmt::format("there is no position {} in row {}", touch.position, touch.row));
    error.at(fmt::format("touch {},{}", touch.row, touch.position));
    error.help(fmt::format("positions are 0 to {}, rows 0 to {}: touch {}", length - 1, recording.batch().batch - 1,
                           length / 2));
    return error;
}

TokenInput with_token(const Recording& recording, const Touch& touch) {
    const std::int64_t vocab = recording.config().vocab_size;
    if (touch.id < 0 || touch.id >= vocab) {
        throw Error(fmt::format("token id {} is not in the vocabulary", touch.id))
            .at("touch")
            .help(fmt::format("use an id from 0 to {}", vocab - 1));
    }
    TokenInput input = recording.input();
    input.ids.ids[static_cast<std::size_t>(touch.row * input.ids.batch.seq + touch.position)] = touch.id;
    return input;
}

AxisSlice single(std::int64_t i) {
    AxisSlice axis;
    axis.is_index = true;
    axis.index = i;
    return axis;
}

/// One number of the position (of each head, where there are heads): the first of the last axis.
Slice touched_slice(const Recording& recording, const Touch& touch) {
    const Site site = *touch.stage;
    const Shape& shape = recording.stage(recording.find(site)).record.shape;
    const std::int64_t s = touch.position - recording.past();
    const std::int64_t n = touch.row * recording.batch().seq + s;
    Slice slice(shape.size());
    slice.back() = single(0);
    if (site.point == Point::expert) {
        const std::vector<std::int64_t> tokens = tokens_of_expert(recording, site.layer, site.expert);
        const auto found = std::ranges::find(tokens, n);
        if (found == tokens.end()) {
            throw Error(
                fmt::format("the token at position {} of row {} did not choose this expert", touch.position, touch.row))
                .at(site_name(site))
                .help("print mlp.topk_idx");
        }
        slice[0] = single(found - tokens.begin());
        return slice;
    }
    const std::vector<std::string> axes = axis_names(site.point);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] == "B") slice[i] = single(touch.row);
        if (axes[i] == "B*S") slice[i] = single(n);
        if (axes[i] == "S")
            slice[i] = single(site.point == Point::lm_head ? s - (recording.batch().seq - shape[i]) : s);
    }
    return slice;
}

/// A number that the stage does not have.
double new_value(const Recording& recording, Site site) {
    const Statistics& statistics = recording.stage(recording.find(site)).record.statistics;
    const double largest = std::max(std::abs(statistics.min), std::abs(statistics.max));
    return std::isfinite(largest) ? std::min(1.0 + 2.0 * largest, 1e30) : 1.0;
}

TouchedPasses run_touched_stage(const Recording& recording, const Touch& touch) {
    const Site site = *touch.stage;
    check_editable(site, "touch " + site_name(site));
    const bool is_missing = site.point == Point::lm_head && touch.position < recording.past() + recording.batch().seq -
                                                                                 recording.view(site).axis(1).size;
    if (touch.position < recording.past() || is_missing) {
        throw Error(fmt::format("this pass has no {} at position {}", short_name(site), touch.position))
            .at("touch " + site_name(site))
            .note(is_missing ? "logits_to_keep leaves it out"
                             : fmt::format("positions 0 to {} come from the cache", recording.past() - 1))
            .help(fmt::format("touch {} {}", short_name(site), recording.past() + recording.batch().seq - 1));
    }
    std::vector<StageEdit> edits = recording.edits();
    edits.push_back({site, StageEdit::Action::scale, 1.0, touched_slice(recording, touch)});
    TouchedPasses passes;
    passes.before = record_pass(recording.model(), recording.input(), edits, recording.layer());
    edits.back().action = StageEdit::Action::set;
    edits.back().value = new_value(recording, site);
    passes.after = record_pass(recording.model(), recording.input(), edits, recording.layer());
    return passes;
}

}  // namespace

TouchedPasses run_touched(const std::shared_ptr<const Recording>& kept, const Touch& touch) {
    const Recording& recording = *kept;
    const Batch& all = recording.input().ids.batch;
    if (touch.row < 0 || touch.row >= all.batch || touch.position < 0 || touch.position >= all.seq) {
        throw no_such_position(recording, touch);
    }
    if (touch.stage) return run_touched_stage(recording, touch);
    TouchedPasses passes;
    passes.before = kept;
    passes.after = record_pass(recording.model(), with_token(recording, touch), recording.edits(), recording.layer());
    return passes;
}

}  // namespace minimind
