#include "stepper/why_sum_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "console/cells.hpp"

namespace minimind {

namespace {

constexpr std::size_t terms_shown_in_full = 8;
constexpr std::size_t largest_shown = 6;
constexpr std::size_t index_width = 9;
constexpr std::size_t value_width = 14;
constexpr std::size_t gap = 2;

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

class SumTable {
  public:
    SumTable(const WhySum& sum, const WhyStyle& style) : sum_(sum), style_(style), is_product_(!sum.b.empty()) {
        const std::size_t others = index_width + gap + (is_product_ ? 2 * gap + value_width : 0);
        const std::size_t room = style.width > others + value_width ? style.width - others : value_width;
        const std::size_t most = std::max(value_width, is_product_ ? room / 2 : room);
        a_width_ = std::clamp(display_width(sum.a), value_width, most);
        b_width_ = is_product_ ? std::clamp(display_width(sum.b), value_width, most) : 0;
    }

    std::string text() const {
        std::string text = style_.paint.dim(heading()) + "\n";
        double shown_sum = 0.0;
        const std::vector<std::size_t> shown = shown_terms(sum_.terms);
        for (const std::size_t i : shown) {
            shown_sum += sum_.terms[i].value();
            text += row(sum_.terms[i]) + "\n";
        }
        const std::size_t left = sum_.terms.size() - shown.size();
        return left == 0 ? text : text + others(left, sum_.total() - shown_sum) + "\n";
    }

  private:
    static std::string cell(const std::string& text, std::size_t width) {
        return std::string(gap, ' ') + pad_left(truncated(text, width), width);
    }

    std::string heading() const {
        const std::string head = pad_left(sum_.axis, index_width) + cell(sum_.a, a_width_);
        if (!is_product_) return head;
        return head + cell(sum_.b, b_width_) + cell(minimind::text(style_.language, "product", "乘积"), value_width);
    }

    std::string row(const WhyTerm& term) const {
        std::string row = pad_left(std::to_string(term.index), index_width) + cell(digits_text(term.a), a_width_);
        if (is_product_) row += cell(digits_text(term.b), b_width_) + cell(digits_text(term.value()), value_width);
        const std::string label = style_.label ? style_.label(sum_.axis, term.index) : "";
        const std::size_t at = display_width(row) + gap;
        if (label.empty() || at + 6 > style_.width) return row;
        return row + std::string(gap, ' ') + truncated(label, style_.width - at);
    }

    std::string others(std::size_t count, double sum) const {
        const std::string name =
            "  " + fmt::format(fmt::runtime(minimind::text(style_.language, "{} others", "其余 {} 项")), count);
        std::size_t width = index_width + gap + a_width_;
        if (is_product_) width += gap + b_width_ + gap + value_width;
        return name + pad_left(digits_text(sum), width - std::min(width, display_width(name)));
    }

    const WhySum& sum_;
    const WhyStyle& style_;
    bool is_product_;
    std::size_t a_width_ = value_width;
    std::size_t b_width_ = 0;
};

}  // namespace

std::string digits_text(double value) {
    return fmt::format("{:.8g}", value);
}

std::string sum_table_text(const WhySum& sum, const WhyStyle& style) {
    return SumTable(sum, style).text();
}

}  // namespace minimind
