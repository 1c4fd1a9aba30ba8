#include "stepper/rerun_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "console/cells.hpp"
#include "stepper/picture.hpp"
#include "stepper/rerun_effect.hpp"
#include "stepper/walk.hpp"
#include "stepper/where_token.hpp"

namespace minimind {

namespace {

constexpr std::size_t effect_name_width = 36;
constexpr double effect_bar_cells = 16.0;
constexpr std::int64_t rows_told = 4;  // of the batch, whose next token is shown

/// Full at 1, where the change is as large as what was there.
std::string effect_bar(double relative) {
    if (!(relative > 0.0)) return "";
    const double cells = std::ceil(effect_bar_cells * std::min(relative, 1.0));
    return std::string(static_cast<std::size_t>(cells), '#') + (relative > 1.0 ? "+" : "");
}

class Effect {
  public:
    Effect(const SessionState& session, const Recording& before)
        : session_(session), before_(before), after_(*session.recording) {}

    std::string text(int layer) {
        const std::vector<StageChange> changes = changes_between(before_, after_, layer);
        const auto changed = std::ranges::count_if(changes, &StageChange::is_changed);
        if (changed == 0) {
            return session_.words("nothing changed: the values were these already\n", "没有任何变化：原来就是这些值\n");
        }
        text_ += session_.paint.dim(pad_right(session_.words("stage", "阶段"), effect_name_width) +
                                    pad_left(session_.words("max |change|", "最大变化"), 13) +
                                    pad_left(session_.words("relative", "相对变化"), 11)) +
                 "\n";
        for (const StageChange& change : changes) {
            if (change.is_changed()) line(change, layer);
        }
        note(layer, std::ssize(changes) - changed);
        consequences();
        return std::move(text_);
    }

  private:
    void line(const StageChange& change, int layer) {
        std::string row = pad_right(short_name(change.site, layer), effect_name_width);
        if (change.difference) {
            const double relative = change.difference->relative();
            row += fmt::format("{:>13}{:>11}  ", number_text(change.difference->max_abs),
                               fmt::format("{:.2g}", relative)) +
                   effect_bar(relative);
        } else {
            const auto tokens = [](const Shape& shape) { return shape.empty() ? 0 : shape[0]; };
            row += "  " + fmt::format(fmt::runtime(session_.words("other tokens: {} -> {}", "换了 token：{} -> {}")),
                                      tokens(change.before), tokens(change.after));
        }
        while (row.ends_with(' ')) row.pop_back();
        text_ += row + "\n";
    }

    void note(int layer, std::ptrdiff_t unchanged) {
        const std::string note = fmt::format(
            fmt::runtime(session_.words(
                "relative: rms of the change / rms before. {} stages of layer {} and outside are unchanged; "
                "of other layers only the writes and the stream are shown.",
                "相对变化：变化量的 RMS / 原来的 RMS。第 {1} 层及各层之外有 {0} 个阶段没有变；其他层只列出写入"
                "的增量和残差流。")),
            unchanged, layer);
        for (const std::string& part : wrap(note, session_.width)) text_ += session_.paint.dim(part) + "\n";
    }

    void consequences() {
        if (before_.loss() && after_.loss()) {
            text_ += fmt::format("loss  {:.6g} -> {:.6g}  ({:+.3g})\n", before_.loss()->mean, after_.loss()->mean,
                                 after_.loss()->mean - before_.loss()->mean);
        }
        const std::int64_t rows = std::min(before_.batch().batch, rows_told);
        for (std::int64_t row = 0; row < rows; ++row) {
            const NextToken old = next_token(before_, row);
            const NextToken now = next_token(after_, row);
            text_ += fmt::format(fmt::runtime(session_.words("next token of row {}: {} (p {:.3g})",
                                                             "第 {} 行的下一个 token：{}（p {:.3g}）")),
                                 row, token_name(session_, old.id), old.probability);
            if (now.id == old.id) {
                text_ += fmt::format(fmt::runtime(session_.words(" stays (p {:.3g})", " 不变（p {:.3g}）")),
                                     now.probability);
            } else {
                text_ += fmt::format(" -> {} (p {:.3g})", token_name(session_, now.id), now.probability);
            }
            text_ += "\n";
        }
    }

    const SessionState& session_;
    const Recording& before_;
    const Recording& after_;
    std::string text_;
};

}  // namespace

std::string effect_text(const SessionState& session, const Recording& before, int layer) {
    return Effect(session, before).text(layer);
}

}  // namespace minimind
