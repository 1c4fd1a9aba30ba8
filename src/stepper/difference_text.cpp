#include "stepper/difference_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "stepper/picture.hpp"
#include "stepper/where.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

std::string line(const SessionState& session, const char* en, const char* zh, const std::string& text) {
    return labelled(session.words(en, zh), text, session.width);
}

std::string number(double value) {
    return fmt::format("{:.6g}", value);
}

}  // namespace

std::string SelectedStage::element(const std::vector<std::int64_t>& index) const {
    return element_name(site, index_of(selection, flat_index(shape, index)));
}

std::string difference_text(const SessionState& session, const SelectedStage& a, const SelectedStage& b) {
    const Difference d = difference_of(a.view(), b.view());
    std::string text =
        session.paint.bold(fmt::format("a = {}   b = {}   {}", a.text, b.text, list_text(a.shape))) + "\n";
    if (d.count == 0) throw Error(session.words("there is nothing in these slices", "这些切片里什么也没有")).at(a.text);
    text += line(session, "equal", "相同",
                 fmt::format(fmt::runtime(session.words("{} of {} numbers", "{1} 个数中有 {0} 个")),
                             d.count - d.unequal, d.count));
    if (d.unequal == 0) return text;
    text += line(session, "largest", "最大差",
                 fmt::format("|a - b| = {}: {} = {}, {} = {}", number(d.max_abs), a.element(d.where), number(d.a),
                             b.element(d.where), number(d.b)));
    text +=
        line(session, "rms", "RMS",
             fmt::format(fmt::runtime(session.words("{} of a - b, {:.3g} of a's", "a - b 为 {}，是 a 的 {:.3g} 倍")),
                         number(d.rms), d.relative()));
    if (std::isfinite(d.cosine)) text += line(session, "cosine", "余弦", number(d.cosine));
    const bool is_rounding = d.max_abs <= sum_order_tolerance(d);
    text += line(session, "verdict", "结论",
                 is_rounding ? session.words("equal within float32 rounding: 2e-5 * max(1, largest |b|)",
                                             "在 float32 舍入误差之内相等：2e-5 * max(1, 最大的 |b|)")
                             : session.words("different", "不同"));
    return text;
}

/// The first stage that differs, and its largest difference.
std::string first_difference_text(const SessionState& session, const DumpedStage& stage) {
    std::string text =
        session.paint.bold(session.words("first that differs: ", "最先不同的阶段：") + site_name(stage.site)) + "\n";
    if (!stage.difference) {
        text += line(session, "shape", "shape",
                     fmt::format(fmt::runtime(session.words("here {}, in the dump {}", "这里是 {}，dump 里是 {}")),
                                 list_text(stage.here), list_text(stage.there)));
        return text;
    }
    text +=
        line(session, "largest", "最大差",
             fmt::format(
                 fmt::runtime(session.words("{} at {}: here {}, in the dump {}", "{}，位于 {}：这里 {}，dump 里 {}")),
                 number(stage.difference->max_abs), list_text(stage.difference->where), number(stage.difference->a),
                 number(stage.difference->b)));
    text += line(session, "allowed", "允许", number(stage.tolerance));
    text += line(session, "relative", "相对", number(stage.difference->relative()));
    return text;
}

}  // namespace minimind
