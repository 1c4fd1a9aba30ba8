#include "stepper/why_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "console/cells.hpp"

namespace minimind {

namespace {

constexpr std::size_t terms_shown_in_full = 8;
constexpr std::size_t largest_shown = 6;
constexpr std::size_t value_width = 14;

/// Eight digits: as many as a float32 has, and one more in which the difference shows.
std::string digits(double value) {
    return fmt::format("{:.8g}", value);
}

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
        for (std::size_t at = line.find(fixed_space); at != std::string::npos; at = line.find(fixed_space)) {
            line.replace(at, fixed_space.size(), " ");
        }
    }
    return lines;
}

/// Places of the terms to show: all in order, or the largest.
std::vector<std::size_t> shown_terms(const std::vector<WhyTerm>& terms) {
    std::vector<std::size_t> order(terms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (terms.size() <= terms_shown_in_full) return order;
    const auto size = [&terms](std::size_t i) {
        const double value = std::abs(terms[i].value());
        return std::isnan(value) ? HUGE_VAL : value;
    };
    std::ranges::stable_sort(order, [&size](std::size_t a, std::size_t b) { return size(a) > size(b); });
    order.resize(largest_shown);
    return order;
}

class Page {
  public:
    Page(const Why& answer, const WhyStyle& style) : answer_(answer), style_(style) {
        for (const WhyStep& step : answer.steps) name_width_ = std::max(name_width_, display_width(step.name));
        name_width_ = std::clamp(name_width_, std::size_t{10}, std::size_t{44});
    }

    std::string text(const std::string& name) {
        text_ = style_.paint.bold(name + " = " + digits(answer_.stored)) + "\n";
        for (const std::string& part : wrap_formula(answer_.equation, style_.width - 2)) text_ += "  " + part + "\n";
        text_ += "\n";
        for (const WhyStep& step : answer_.steps) {
            if (step.sum) table(*step.sum);
            line(step.name, digits(step.value), step.note.in(style_.language));
        }
        balance();
        return text_;
    }

  private:
    std::string words(const char* en, const char* zh) const { return minimind::text(style_.language, en, zh); }

    /// "  name   value   note", the note on lines of its own where it does not fit.
    void line(const std::string& name, const std::string& value, const std::string& note) {
        std::string row = "  " + pad_right(name, name_width_) + " " + pad_left(value, value_width);
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

    void table(const WhySum& sum) {
        const bool is_product = !sum.b.empty();
        const std::size_t index_width = 9;
        std::size_t a_width = std::max(value_width, display_width(sum.a));
        std::size_t b_width = is_product ? std::max(value_width, display_width(sum.b)) : 0;
        const std::size_t columns = index_width + a_width + 2 + (is_product ? b_width + 2 + value_width : 0);
        const bool fits = columns <= style_.width;
        if (!fits) a_width = b_width = value_width;
        std::string head = pad_left(sum.axis, index_width) + "  " + pad_left(fits ? sum.a : "a", a_width);
        if (is_product) {
            head +=
                "  " + pad_left(fits ? sum.b : "b", b_width) + "  " + pad_left(words("product", "乘积"), value_width);
        }
        text_ += style_.paint.dim(head) + "\n";
        double shown_sum = 0.0;
        const std::vector<std::size_t> shown = shown_terms(sum.terms);
        for (const std::size_t i : shown) {
            const WhyTerm& term = sum.terms[i];
            shown_sum += term.value();
            std::string row =
                pad_left(std::to_string(term.index), index_width) + "  " + pad_left(digits(term.a), a_width);
            if (is_product) {
                row += "  " + pad_left(digits(term.b), b_width) + "  " + pad_left(digits(term.value()), value_width);
            }
            const std::string label = style_.label ? style_.label(sum.axis, term.index) : "";
            if (!label.empty() && display_width(row) + 8 < style_.width) {
                row += "  " + truncated(label, style_.width - display_width(row) - 2);
            }
            text_ += row + "\n";
        }
        if (shown.size() < sum.terms.size()) others(sum, sum.terms.size() - shown.size(), shown_sum, a_width, b_width);
    }

    void others(const WhySum& sum, std::size_t count, double shown_sum, std::size_t a_width, std::size_t b_width) {
        const std::string name = fmt::format(fmt::runtime(words("{} others", "其余 {} 项")), count);
        const std::size_t room = sum.b.empty() ? a_width + 2 : a_width + b_width + value_width + 6;
        text_ += pad_right("  " + name, 9);
        text_ +=
            pad_left(digits(sum.total() - shown_sum), room + 9 - std::max(std::size_t{9}, display_width("  " + name)));
        text_ += "\n";
    }

    /// What the pass stored, and how far the result is from it.
    void balance() {
        text_ += "\n";
        line(words("in double", "double 结果"), digits(answer_.result()), "");
        line(words("stored", "存储值"), digits(answer_.stored), "");
        const std::string difference = fmt::format("{:.1e}", answer_.difference());
        if (answer_.difference() == 0.0) {
            line(words("difference", "差"), "0", words("the same number", "完全相同"));
        } else if (answer_.adds_up()) {
            line(words("difference", "差"), difference,
                 fmt::format(fmt::runtime(words("float32 rounding: up to {:.1e} is to be expected here",
                                                "float32 舍入误差：此处不超过 {:.1e} 都属正常")),
                             answer_.rounding));
        } else {
            line(words("difference", "差"), difference,
                 fmt::format(fmt::runtime(words("more than float32 rounding, which stays below {:.1e} here",
                                                "超出了 float32 舍入误差（此处应小于 {:.1e}）")),
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
