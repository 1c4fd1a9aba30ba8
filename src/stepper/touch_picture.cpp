#include <fmt/format.h>

#include <algorithm>

#include "console/cells.hpp"
#include "stepper/touch_picture.hpp"
#include "stepper/walk.hpp"

namespace minimind {

namespace {

constexpr std::size_t touch_name_width = 34;

/// A strip shows what matters most in each of its cells.
int weight_of(Cell cell) {
    switch (cell) {
        case Cell::absent:
            return 0;
        case Cell::same:
            return 1;
        case Cell::rounding:
            return 2;
        case Cell::changed:
            return 3;
    }
    return 0;
}

Cell worse(Cell a, Cell b) {
    return weight_of(a) > weight_of(b) ? a : b;
}

char symbol(Cell cell) {
    return " .~#"[weight_of(cell)];
}

/// The picture of all stages: a strip a row, so many rows as fit.
class TouchPicture {
  public:
    TouchPicture(const SessionState& session, const Touch& touch, const std::vector<TouchedStage>& stages)
        : session_(session), touch_(touch), stages_(stages) {
        const Batch& batch = session.recording->input().ids.batch;
        rows_ = static_cast<std::size_t>(batch.batch);
        positions_ = static_cast<std::size_t>(batch.seq);
        const std::size_t room = session.width > touch_name_width + 12 ? session.width - touch_name_width : 12;
        shows_all_rows_ = rows_ * (positions_ + 2) <= room;
        strips_ = shows_all_rows_ ? rows_ : std::min<std::size_t>(rows_, 2);
        width_ = std::min(positions_, room / strips_ - 2);
    }

    std::string text() const {
        std::string text = session_.paint.dim(headings()) + "\n";
        int layer = -1;
        const auto first = std::ranges::find_if(stages_, &TouchPicture::is_changed);
        for (auto it = first; it != stages_.end(); ++it) {
            const TouchedStage& stage = *it;
            if (stage.site.layer != layer && stage.site.layer >= 0) {
                const std::string heading = session_.words("layer {}", "第 {} 层");
                text += session_.paint.dim(fmt::format(fmt::runtime(heading), stage.site.layer)) + "\n";
            }
            layer = stage.site.layer;
            text += line(stage) + "\n";
        }
        return text + legend(first - stages_.begin());
    }

  private:
    /// Places along a strip; more positions than cells share one.
    std::string strip(const std::vector<Cell>& cells) const {
        if (cells.size() == 1) return std::string(1, symbol(cells[0]));  // one number
        std::string text;
        for (std::size_t i = 0; i < width_; ++i) {
            Cell cell = Cell::absent;
            for (std::size_t p = i * positions_ / width_; p < (i + 1) * positions_ / width_; ++p)
                cell = worse(cell, cells[p]);
            text += symbol(cell);
        }
        return session_.paint.is_on() && text.find('#') != std::string::npos ? session_.paint.yellow(text) : text;
    }

    /// The strip of all other rows at once.
    std::vector<Cell> others(const TouchedStage& stage) const {
        std::vector<Cell> cells(positions_, Cell::absent);
        for (std::size_t row = 0; row < stage.cells.size(); ++row) {
            if (static_cast<std::int64_t>(row) == touch_.row) continue;
            for (std::size_t p = 0; p < positions_; ++p) cells[p] = worse(cells[p], stage.cells[row][p]);
        }
        return cells;
    }

    std::string line(const TouchedStage& stage) const {
        std::string name =
            stage.site.layer < 0 ? site_name(stage.site) : "  " + short_name(stage.site, stage.site.layer);
        std::string text = pad_right(truncated(name, touch_name_width - 1), touch_name_width);
        if (!stage.has_rows) return trimmed(text + strip(stage.cells[0]));
        if (shows_all_rows_) {
            for (const std::vector<Cell>& row : stage.cells) text += strip(row) + "  ";
        } else {
            text += strip(stage.cells[static_cast<std::size_t>(touch_.row)]) + "  ";
            if (strips_ > 1) text += strip(others(stage));
        }
        return trimmed(text);
    }

    static std::string trimmed(std::string text) {
        while (text.ends_with(' ')) text.pop_back();
        return text;
    }

    /// "stage      row 0   row 1", and the last digits of the positions.
    std::string headings() const {
        std::string rows = pad_right(session_.words("stage", "阶段"), touch_name_width);
        std::string digits(touch_name_width, ' ');
        for (std::size_t i = 0; i < strips_; ++i) {
            const bool is_others = !shows_all_rows_ && i == 1;
            const std::int64_t row = shows_all_rows_ ? static_cast<std::int64_t>(i) : touch_.row;
            const std::string heading = is_others
                                            ? session_.words("other rows", "其他行")
                                            : fmt::format(fmt::runtime(session_.words("row {}", "第 {} 行")), row);
            const bool fits = display_width(heading) <= width_ + 1;
            rows += pad_right(fits ? heading : is_others ? "*" : std::to_string(row), width_ + 2);
            for (std::size_t place = 0; place < width_; ++place) {
                digits += static_cast<char>('0' + place * positions_ / width_ % 10);
            }
            digits += "  ";
        }
        return trimmed(rows) + "\n" + trimmed(digits);
    }

    static bool is_changed(const TouchedStage& stage) {
        return std::ranges::any_of(stage.cells, [](const std::vector<Cell>& row) {
            return std::ranges::find(row, Cell::changed) != row.end();
        });
    }

    std::string legend(std::ptrdiff_t before) const {
        std::string text = session_.words("# changed   . the same bits   (blank: no value there)",
                                          "# 变了   . 每一位都相同   （空白：这里没有值）");
        if (has(Cell::rounding)) {
            text +=
                session_.words("   ~ rounding only: an expert got other tokens, so that its product is cut otherwise",
                               "   ~ 只有舍入误差：专家分到的 token 变了，矩阵乘法的分块随之不同");
        }
        if (width_ < positions_) {
            text += fmt::format(fmt::runtime(session_.words("   {} positions in {} cells", "   {} 个位置画成 {} 格")),
                                positions_, width_);
        }
        std::string lines;
        if (before > 0) {
            const std::string unchanged =
                session_.words("({} stages before are unchanged)", "（之前的 {} 个阶段没有变化）");
            lines += session_.paint.dim(fmt::format(fmt::runtime(unchanged), before)) + "\n";
        }
        for (const std::string& part : wrap(text, session_.width)) lines += session_.paint.dim(part) + "\n";
        return lines;
    }

    bool has(Cell wanted) const {
        return std::ranges::any_of(stages_, [wanted](const TouchedStage& stage) {
            return std::ranges::any_of(stage.cells, [wanted](const std::vector<Cell>& row) {
                return std::ranges::find(row, wanted) != row.end();
            });
        });
    }

    const SessionState& session_;
    const Touch& touch_;
    const std::vector<TouchedStage>& stages_;
    std::size_t rows_ = 0;
    std::size_t positions_ = 0;
    std::size_t strips_ = 1;
    std::size_t width_ = 1;
    bool shows_all_rows_ = true;
};

}  // namespace

std::string touch_picture(const SessionState& session, const Touch& touch, const std::vector<TouchedStage>& stages) {
    return TouchPicture(session, touch, stages).text();
}

}  // namespace minimind
