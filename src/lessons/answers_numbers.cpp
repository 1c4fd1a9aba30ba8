// Judging counts and reals.
#include <algorithm>
#include <cmath>

#include "lessons/judging.hpp"

namespace minimind {

namespace {

using Unit = WrittenNumber::Unit;

constexpr int fewest_digits = 3;  // of a rounded count

Judgement right() {
    return {Verdict::right, {}, {}};
}

/// Equal but for the rounding of the double.
bool is_exactly(double value, double number) {
    return std::abs(value - number) <= 1e-12 * std::max(std::abs(number), 1.0);
}

/// A count as it was written, and how far it may be rounded.
struct Rounded {
    double value = 0.0;
    double step = 0.0;  // what 1 more in the last digit that counts would add
    int digits = 0;     // that count

    bool could_be(double number) const {
        return is_exactly(value, number) || (step > 1.0 && std::abs(value - number) <= step / 2.0 * (1.0 + 1e-9));
    }
    bool is_fine_enough() const { return digits >= fewest_digits; }
};

/// With a unit the digits are what counts; without one, zeros at the end are rounding only from a million on.
Rounded rounded(const WrittenNumber& written, double factor) {
    Rounded result{written.digits_value * factor, written.step * factor, written.digits};
    if (factor == 1.0 && std::abs(result.value) >= 1e6) {
        while (result.digits > 1 && std::fmod(result.value, result.step * 10.0) == 0.0) {
            result.step *= 10.0;
            --result.digits;
        }
    }
    return result;
}

/// 63.9 for 63.9M, 63.9K for it, 6391 for 6391万.
bool is_of_other_unit(const WrittenNumber& written, double number) {
    constexpr double factors[] = {1.0, 1e3, 1e4, 1e6, 1e8, 1e9};
    if (written.digits < fewest_digits || number == 0.0) return false;
    return std::any_of(std::begin(factors), std::end(factors), [&](double factor) {
        return factor != written.factor && rounded(written, factor).could_be(number);
    });
}

/// Four bytes (or two) a number, for numbers that are not small by nature.
bool is_bytes_of(const Rounded& bytes, double numbers) {
    constexpr double fewest = 1000.0;
    return numbers >= fewest && (bytes.could_be(4.0 * numbers) || bytes.could_be(2.0 * numbers));
}

Judgement wrong_unit(const Words& message) {
    return {Verdict::wrong_unit, message, {}};
}

/// The right number in another unit, if it is that.
std::optional<Judgement> judged_unit(const Answer& answer, const WrittenNumber& written, const Rounded& count) {
    const bool has_unit_of_bytes = written.unit == Unit::bytes && count.could_be(answer.number);
    if (!answer.is_bytes && (has_unit_of_bytes || is_bytes_of(count, answer.number))) {
        return wrong_unit(
            {"these are bytes; the question is how many numbers there are", "这是字节数；问的是有多少个数"});
    }
    const Rounded bytes_wanted{answer.number, 0.0, fewest_digits};
    if (answer.is_bytes && is_bytes_of(bytes_wanted, count.value)) {
        return wrong_unit({"so many numbers there are; the question is how many bytes they take",
                           "数的个数对了；问的是它们占多少字节"});
    }
    if (is_of_other_unit(written, answer.number)) {
        return wrong_unit({"the digits are right, but not the unit: write all digits, or a unit such as K, M, 万, 亿",
                           "数字对了，单位不对：请写出全部数字，或加上 K、M、万、亿 这样的单位"});
    }
    return std::nullopt;
}

Judgement too_coarse(const Words& message) {
    return {Verdict::unreadable, message, {}};
}

/// What stands beside a number that the right answer rounds to.
Judgement judged_rounding(const Item& item, const Rounded& count) {
    if (!count.is_fine_enough()) {
        return too_coarse({"rounded too far to be judged: write at least 3 digits",
                           "四舍五入得太粗，无法判断：请至少写 3 位有效数字"});
    }
    const bool fits_a_mistake =
        judged_as_mistake(item, [&count](const Answer& answer) { return count.could_be(answer.number); }).has_value();
    if (fits_a_mistake) {
        return too_coarse({"rounded too far: a common mistake rounds to the same; write more digits",
                           "四舍五入得太粗：一个常见错误四舍五入后也是这个数；请多写几位"});
    }
    return right();
}

}  // namespace

Judgement judge_count(const Item& item, std::string_view written) {
    const std::optional<WrittenNumber> number = read_number(written);
    if (!number || number->unit == Unit::percent) return judged_unreadable(item);
    const Rounded count = rounded(*number, number->factor);
    const bool is_byte_unit_wanted = item.right.is_bytes || number->unit != Unit::bytes;
    if (is_byte_unit_wanted) {
        if (is_exactly(count.value, item.right.number)) return right();
        const auto is_it = [&count](const Answer& answer) { return is_exactly(count.value, answer.number); };
        if (const auto mistake = judged_as_mistake(item, is_it)) return *mistake;
        if (count.could_be(item.right.number)) return judged_rounding(item, count);
        const auto rounds_to = [&count](const Answer& answer) {
            return count.is_fine_enough() && count.could_be(answer.number);
        };
        if (const auto mistake = judged_as_mistake(item, rounds_to)) return *mistake;
    }
    return judged_unit(item.right, *number, count).value_or(Judgement{Verdict::wrong, {}, {}});
}

Judgement judge_real(const Item& item, std::string_view written) {
    const std::optional<WrittenNumber> number = read_number(written);
    if (!number || number->unit == Unit::bytes) return judged_unreadable(item);
    const auto is_near = [](double value, const Answer& answer) {
        return std::abs(value - answer.number) <= answer.tolerance * (1.0 + 1e-9);
    };
    // 7.14% may be asked for as 0.0714 or as 7.14.
    const double value = number->unit == Unit::percent && is_near(number->digits_value, item.right)
                             ? number->digits_value
                             : number->value();
    if (is_near(value, item.right)) return right();
    const auto is_it = [&](const Answer& answer) { return is_near(value, answer); };
    if (const auto mistake = judged_as_mistake(item, is_it)) return *mistake;
    const bool is_percent = is_near(value / 100.0, item.right) || is_near(value * 100.0, item.right);
    if (is_percent && number->digits > 1 && item.right.number != 0.0) {
        return wrong_unit({"right but for a factor of 100: a fraction and per cent are not the same",
                           "差了 100 倍：小数和百分数不是一回事"});
    }
    return {Verdict::wrong, {}, {}};
}

}  // namespace minimind
