#include "core/text.hpp"

#include <fmt/format.h>

namespace minimind {

std::string with_commas(std::int64_t number) {
    const std::string digits = std::to_string(number);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const bool after_digit = i > 0 && digits[i - 1] != '-';
        if (after_digit && (digits.size() - i) % 3 == 0) text.push_back(',');
        text.push_back(digits[i]);
    }
    return text;
}

std::string in_millions(std::int64_t number) {
    return fmt::format("{:.3f}M", static_cast<double>(number) / 1e6);
}

std::string python_bool(bool value) {
    return value ? "True" : "False";
}

}  // namespace minimind
