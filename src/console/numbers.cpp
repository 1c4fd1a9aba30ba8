#include "console/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "console/cells.hpp"
#include "core/error.hpp"

namespace minimind {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Takes the digits at the start off the text and says how many they were.
std::size_t take_digits(std::string_view& text) {
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count])) ++count;
    text.remove_prefix(count);
    return count;
}

bool take(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

/// -?(0|[1-9][0-9]*)
bool is_integer(std::string_view text) {
    take(text, "-");
    const bool leading_zero = text.size() > 1 && text[0] == '0';
    return !leading_zero && take_digits(text) > 0 && text.empty();
}

/// -?([0-9]+.?[0-9]*|.[0-9]+)([eE][+-]?[0-9]+)?, without a leading zero before another digit.
bool is_real(std::string_view text) {
    take(text, "-");
    if (text.size() > 1 && text[0] == '0' && is_digit(text[1])) return false;
    std::size_t digits = take_digits(text);
    if (take(text, ".")) digits += take_digits(text);
    if (digits == 0) return false;
    if (take(text, "eE")) {
        take(text, "+-");
        if (take_digits(text) == 0) return false;
    }
    return text.empty();
}

/// What was probably meant: "12" for "012", " 12", "+12", "1_2"; "" if nothing comes to mind.
std::string plain_spelling(std::string_view text, bool (*is_number)(std::string_view)) {
    std::string plain;
    for (const char c : text) {
        const bool is_decoration = c == ' ' || c == '+' || c == '_' || c == ',' || c == '\'';
        const bool is_leading_zero = c == '0' && (plain.empty() || plain == "-");
        if (!is_decoration && !is_leading_zero) plain += c;
    }
    if (!plain.empty() && is_number(plain)) return plain;
    return "";
}

[[noreturn]] void throw_no_number(std::string_view text, const char* kind, const char* rule,
                                  bool (*is_number)(std::string_view)) {
    if (text.empty()) throw Error(fmt::format("an empty text is no number")).note(rule);
    Error error(fmt::format("\"{}\" is not {}", visible(text), kind));
    error.note(rule);
    const std::string plain = plain_spelling(text, is_number);
    if (!plain.empty()) error.help("write " + plain);
    throw error;
}

template <typename Value>
[[noreturn]] void throw_outside(std::string_view text, bool is_small, Value least, Value most) {
    throw Error(fmt::format("{} is too {}", text, is_small ? "small" : "large"))
        .note(fmt::format("allowed: {} to {}", least, most));
}

constexpr const char* integer_rule = "a whole number is written in decimal digits, without leading zeros";

template <typename Integer>
Integer converted(std::string_view text, Integer least, Integer most) {
    Integer value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc()) throw_outside(text, text.front() == '-', least, most);
    return value;
}

template <typename Value, typename Range>
std::string described(const Range& range, const Range& all) {
    if (range.least == all.least && range.most == all.most) return "any";
    if (range.most == all.most) return fmt::format("at least {}", range.least);
    if (range.least == all.least) return fmt::format("at most {}", range.most);
    return fmt::format("{} to {}", range.least, range.most);
}

template <typename Value, typename Range>
void check_range(std::string_view text, Value value, const Range& range) {
    if (value >= range.least && value <= range.most) return;
    throw Error(fmt::format("{} is too {}", text, value < range.least ? "small" : "large"))
        .note("allowed: " + range_text(range));
}

}  // namespace

IntegerRange at_least(std::int64_t least) {
    return {least, std::numeric_limits<std::int64_t>::max()};
}

std::string range_text(const IntegerRange& range) {
    return described<std::int64_t>(range, IntegerRange{});
}

std::string range_text(const RealRange& range) {
    return described<double>(range, RealRange{});
}

std::int64_t read_integer(std::string_view text, const IntegerRange& range) {
    if (!is_integer(text)) throw_no_number(text, "a whole number", integer_rule, is_integer);
    const auto value = converted<std::int64_t>(text, range.least, range.most);
    check_range(text, value, range);
    return value;
}

double read_real(std::string_view text, const RealRange& range) {
    if (!is_real(text)) throw_no_number(text, "a number", "a number is written in decimal, as 0.85 or 1e-6", is_real);
    double value = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || !std::isfinite(value)) {
        throw Error(fmt::format("{} does not fit in a double", text))
            .note("its magnitude must be 0 or between 2.3e-308 and 1.7e308");
    }
    check_range(text, value, range);
    return value;
}

std::uint64_t read_seed(std::string_view text) {
    if (!is_integer(text)) throw_no_number(text, "a whole number", integer_rule, is_integer);
    const char* allowed = "allowed: 0 to 2^64 - 1, or -2^63 to -1, as torch.manual_seed";
    const char* end = text.data() + text.size();
    if (text.front() == '-') {
        std::int64_t value = 0;
        if (std::from_chars(text.data(), end, value).ec == std::errc()) return static_cast<std::uint64_t>(value);
        throw Error(fmt::format("{} is too small", text)).note(allowed);
    }
    std::uint64_t value = 0;
    if (std::from_chars(text.data(), end, value).ec == std::errc()) return value;
    throw Error(fmt::format("{} is too large", text)).note(allowed);
}

bool read_zero_one(std::string_view text) {
    if (text == "0" || text == "1") return text == "1";
    Error error(fmt::format("\"{}\" is neither 0 nor 1", visible(text)));
    if (text == "true" || text == "True" || text == "yes" || text == "on") error.help("write 1");
    if (text == "false" || text == "False" || text == "no" || text == "off") error.help("write 0");
    throw error;
}

}  // namespace minimind
