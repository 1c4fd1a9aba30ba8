#include "stepper/why_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/cells.hpp"
#include "stepper/why_sum_table.hpp"

namespace minimind {

namespace {

constexpr std::size_t step_value_width = 14;

/// Lines of a formula, in which "[0, 3, 5]" is never broken.
std::vector<std::string> wrap_formula(const std::string& formula, std::size_t width) {
    const std::string fixed_space = "\u00a0";
    std::string tied;
    int depth = 0;
    for (const char c : formula) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        tied += c == ' ' && depth > 0 ? fixed_space : std::string(1, c);
    }
    std::vector<std::string> lines = wrap(tied, width);
    for (std::string& line : lines) {
        while (line.ends_with(' ')) line.pop_back();
        for (std::size_t at = line.find(fixed_space); at != std::string::npos; at = line.find(fixed_space)) {
            line.replace(at, fixed_space.size(), " ");
        }
    }
    return lines;
}

class Page {
  public:
    Page(const Why& answer, const WhyStyle& style) : answer_(answer), style_(style) {
        for (const WhyStep& step : answer.steps) name_width_ = std::max(name_width_, display_width(step.name));
        name_width_ = std::clamp(name_width_, std::size_t{10}, std::size_t{44});
    }

    std::string text(const std::string& name) {
        text_ = style_.paint.bold(name + " = " + digits_text(answer_.stored)) + "\n";
        for (const std::string& part : wrap_formula(answer_.equation, style_.width - 2)) text_ += "  " + part + "\n";
        text_ += "\n";
        for (const WhyStep& step : answer_.steps) {
            if (step.sum) text_ += sum_table_text(*step.sum, style_);
            line(step.name, digits_text(step.value), step.note.in(style_.language));
        }
        balance();
        return text_;
    }

  private:
    std::string words(const char* en, const char* zh) const { return minimind::text(style_.language, en, zh); }

    /// "  name   value   note", the note on lines of its own where it does not fit.
    void line(const std::string& name, const std::string& value, const std::string& note) {
        std::string row = "  " + pad_right(name, name_width_) + " " + pad_left(value, step_value_width);
        const std::size_t at = display_width(row) + 3;
        const std::size_t room = style_.width > at + 16 ? style_.width - at : 16;
        bool is_first = true;
        for (const std::string& part : wrap(note, room)) {
            if (part.empty()) continue;
            row += is_first ? "   " : "\n" + std::string(at, ' ');
            row += style_.paint.dim(part);
            is_first = false;
        }
        text_ += row + "\n";
    }

    /// What the pass stored, and how far the result is from it.
    void balance() {
        text_ += "\n";
        line(words("in double", "double 结果"), digits_text(answer_.result()), "");
        line(words("stored", "存储值"), digits_text(answer_.stored), "");
        const std::string difference = fmt::format("{:.1e}", answer_.difference());
        if (answer_.difference() == 0.0) {
            line(words("difference", "差"), "0", words("the same number", "完全相同"));
        } else if (answer_.adds_up()) {
            line(words("difference", "差"), difference,
                 fmt::format(fmt::runtime(words("float32 rounding (up to {:.1e})", "float32 舍入误差（至多 {:.1e}）")),
                             answer_.rounding));
        } else if (answer_.overflows()) {
            line(words("difference", "差"), difference,
                 words("float32 overflowed: a value on the way is beyond 3.4e38", "float32 溢出：中间有值超过 3.4e38"));
        } else {
            line(words("difference", "差"), difference,
                 fmt::format(fmt::runtime(words("more than float32 rounding (up to {:.1e})",
                                                "超出 float32 舍入误差（至多 {:.1e}）")),
                             answer_.rounding));
        }
    }

    const Why& answer_;
    const WhyStyle& style_;
    std::size_t name_width_ = 0;
    std::string text_;
};

}  // namespace

std::string why_text(const Why& answer, const std::string& name, const WhyStyle& style) {
    return Page(answer, style).text(name);
}

}  // namespace minimind
