#include "support/printed_numbers.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <vector>

namespace minimind {

namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Where the digits that begin at `at` end.
std::size_t end_of_digits(std::string_view line, std::size_t at) {
    while (at < line.size() && is_digit(line[at])) ++at;
    return at;
}

/// Where the float that begins at `at` ends (-12.5, 1.0e-06); `at` itself if there is none.
std::size_t end_of_float(std::string_view line, std::size_t at) {
    const std::size_t whole = at + (line[at] == '-' ? 1 : 0);
    const std::size_t dot = end_of_digits(line, whole);
    if (dot == whole || dot >= line.size() || line[dot] != '.') return at;
    const std::size_t end = end_of_digits(line, dot + 1);
    if (end == dot + 1) return at;
    if (end < line.size() && (line[end] == 'e' || line[end] == 'E')) {
        const bool has_sign = end + 1 < line.size() && (line[end + 1] == '-' || line[end + 1] == '+');
        const std::size_t exponent = end + (has_sign ? 2 : 1);
        if (end_of_digits(line, exponent) > exponent) return end_of_digits(line, exponent);
    }
    return end;
}

/// The line with # in place of its floats and the spaces around them, and the floats. A float is printed with as many digits as
/// it needs, so that another last digit can move it within its column.
struct Split {
    std::string text;
    std::vector<std::string> floats;
};

Split split(std::string_view line) {
    Split result;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = end_of_float(line, at);
        if (end > at) {
            result.floats.emplace_back(line.substr(at, end - at));
            while (!result.text.empty() && result.text.back() == ' ') result.text.pop_back();
            result.text += '#';
            at = std::min(line.find_first_not_of(' ', end), line.size());
        } else {
            // Digits go together, so that no float begins in the middle of a number.
            const std::size_t next = std::max(at + 1, end_of_digits(line, at));
            result.text += line.substr(at, next - at);
            at = next;
        }
    }
    return result;
}

double allowed_difference(const std::string& reference) {
    const std::size_t exponent_at = std::min(reference.find_first_of("eE"), reference.size());
    const auto digits = static_cast<int>(exponent_at - reference.find('.') - 1);
    const int exponent = exponent_at == reference.size() ? 0 : std::stoi(reference.substr(exponent_at + 1));
    const double last_digit = std::pow(10.0, exponent - digits);
    return 1.0001 * std::max(last_digit, 4.8e-7 * std::abs(std::stod(reference)));
}

}  // namespace

bool equal_but_for_rounding(const std::string& ours, const std::string& reference) {
    if (ours == reference) return true;
    const Split a = split(ours);
    const Split b = split(reference);
    if (a.text != b.text) return false;
    for (std::size_t i = 0; i < b.floats.size(); ++i) {
        if (std::abs(std::stod(a.floats[i]) - std::stod(b.floats[i])) > allowed_difference(b.floats[i])) return false;
    }
    return true;
}

}  // namespace minimind
