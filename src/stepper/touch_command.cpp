// The command `touch`.
#include <fmt/format.h>

#include <ostream>

#include "core/error.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/touch.hpp"
#include "stepper/touch_picture.hpp"
#include "stepper/where_token.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

Touch parse_touch(const SessionState& session, const std::string& arguments) {
    const auto [first, second] = first_argument(arguments);
    if (is_token_position(first)) {
        const auto [row, position] = read_token_position(session, first);
        const std::int64_t old = session.recording->input().ids.at(row, position);
        const std::int64_t id = second.empty() ? (old + 1) % session.config().vocab_size : read_token(session, second);
        return {row, position, std::nullopt, id};
    }
    if (!first.empty() && is_token_position(second)) {
        const Site stage = site_named(session, first);
        const auto [row, position] = read_token_position(session, second);
        return {row, position, stage, 0};
    }
    const std::int64_t last = session.recording->input().ids.batch.seq - 1;
    throw Error(session.words("touch needs a position", "touch 需要一个位置"))
        .at("touch " + arguments)
        .help(fmt::format(
            fmt::runtime(session.words("touch {0}, touch 0,{0} for row 0, touch {0} 42 for another token id",
                                       "touch {0}；touch 0,{0} 指第 0 行；touch {0} 42 换成 id 42")),
            last))
        .help(fmt::format(fmt::runtime(session.words("touch resid_mid {} changes one position of a stage",
                                                     "touch resid_mid {} 改动某个阶段的一个位置")),
                          last));
}

std::string what_was_touched(const SessionState& session, const Touch& touch) {
    if (touch.stage) {
        return fmt::format(fmt::runtime(session.words("one number of {} changes at position {} of row {}",
                                                      "改动 {} 的一个数：位置 {}，第 {} 行")),
                           short_name(*touch.stage), touch.position, touch.row);
    }
    return fmt::format(fmt::runtime(session.words("the token at position {} of row {} changes: {} -> {}",
                                                  "位置 {}、第 {} 行的 token 改变：{} -> {}")),
                       touch.position, touch.row,
                       token_name(session, session.recording->input().ids.at(touch.row, touch.position)),
                       token_name(session, touch.id));
}

void run_touch(SessionState& session, const std::string& arguments, std::ostream& out) {
    const Touch touch = parse_touch(session, arguments);
    if (touch.stage) values_of(session, *touch.stage, out);
    const TouchedPasses passes = run_touched(session.recording, touch);
    session.passes += touch.stage ? 2 : 1;
    const int layer = touch.stage && touch.stage->layer >= 0 ? touch.stage->layer : session.layer;
    const std::vector<TouchedStage> stages = touched_stages(*passes.before, *passes.after, layer);
    out << session.paint.bold(what_was_touched(session, touch)) << "\n";
    out << touch_picture(session, touch, stages);
    out << touch_summary(stages, touch, session.language, session.width);
}

}  // namespace

StepCommand touch_command() {
    return {
        "touch",
        {},
        "touch [STAGE] POS [ID]",
        {"change one token or one position: what does it reach", "改动一个 token 或一个位置，看影响到哪里"},
        {"Runs again and marks every position of every row that changed at all. `touch 3`: the token at position 3 of "
         "row 0 becomes another one; `touch 1,3 42`: in row 1, and which; `touch resid_mid 3`: one position of a "
         "stage. "
         "Positions count from the start of the row, cached ones included.",
         "重新计算，并标出每一行里有变化的位置。`touch 3`：第 0 行位置 3 的 token 换成别的；`touch 1,3 42`：第 1 行，并"
         "指定换成哪个；`touch resid_mid 3`：只改某个阶段的一个位置。位置从行首数起，包括缓存的。"},
        run_touch,
        false,
        true};
}

}  // namespace minimind
