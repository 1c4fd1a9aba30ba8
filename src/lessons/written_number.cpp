// Reading a number.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "lessons/written_answer.hpp"

namespace minimind {

namespace {

using Unit = WrittenNumber::Unit;

struct KnownUnit {
    std::string_view name;  // in lower case
    double factor;
    Unit unit;
};

constexpr KnownUnit known_units[] = {{"", 1.0, Unit::none},           {"k", 1e3, Unit::scaled},
                                     {"thousand", 1e3, Unit::scaled}, {"m", 1e6, Unit::scaled},
                                     {"million", 1e6, Unit::scaled},  {"b", 1e9, Unit::scaled},
                                     {"g", 1e9, Unit::scaled},        {"billion", 1e9, Unit::scaled},
                                     {"t", 1e12, Unit::scaled},       {"千", 1e3, Unit::scaled},
                                     {"万", 1e4, Unit::scaled},       {"w", 1e4, Unit::scaled},
                                     {"百万", 1e6, Unit::scaled},     {"千万", 1e7, Unit::scaled},
                                     {"亿", 1e8, Unit::scaled},       {"十亿", 1e9, Unit::scaled},
                                     {"kb", 1e3, Unit::bytes},        {"mb", 1e6, Unit::bytes},
                                     {"gb", 1e9, Unit::bytes},        {"kib", 1024.0, Unit::bytes},
                                     {"mib", 1048576.0, Unit::bytes}, {"gib", 1073741824.0, Unit::bytes},
                                     {"bytes", 1.0, Unit::bytes},     {"byte", 1.0, Unit::bytes},
                                     {"字节", 1.0, Unit::bytes},      {"万字节", 1e4, Unit::bytes},
                                     {"%", 0.01, Unit::percent},      {"percent", 0.01, Unit::percent}};

/// Words that may stand before or after a number and say nothing.
constexpr std::string_view before[] = {"about", "approx.", "approximately", "roughly", "大约", "约", "~", "≈",
                                       "=",     "x"};
constexpr std::string_view after[] = {"parameters", "params", "parameter", "param", "个参数", "参数", "个数",   "个",
                                      "numbers",    "values", "entries",   "times", "倍",     "x",    "modules"};

void trim(std::string& text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at) {
    std::size_t count = 0;
    while (at + count < text.size() && is_digit(text[at + count])) ++count;
    return count;
}

/// The whole part at the start of `text`, with separators between groups of three (or, as some write Chinese numbers,
/// four) digits; takes it off. Empty if there is none or the groups are uneven.
std::string take_whole(std::string& text) {
    std::size_t at = digits_at(text, 0);
    std::string digits = text.substr(0, at);
    const std::size_t first_group = at;
    std::size_t group = 0;
    while (at > 0 && at < text.size() && (text[at] == ',' || text[at] == '_' || text[at] == ' ' || text[at] == '\'')) {
        const std::size_t length = digits_at(text, at + 1);
        if (length == 0 && text[at] == ' ') break;  // a unit follows
        if (group == 0) group = length;
        if (length != group || (group != 3 && group != 4) || first_group > group) return "";
        digits += text.substr(at + 1, length);
        at += 1 + length;
    }
    text.erase(0, at);
    return digits;
}

/// ".9", taken off. "." alone is no fraction.
std::string take_fraction(std::string& text) {
    if (text.size() < 2 || text[0] != '.') return "";
    const std::size_t count = digits_at(text, 1);
    std::string digits = text.substr(1, count);
    if (count > 0) text.erase(0, 1 + count);
    return digits;
}

/// "e7", taken off; 0 if there is none.
int take_exponent(std::string& text) {
    if (text.size() < 2 || text[0] != 'e') return 0;
    const std::size_t sign = text[1] == '-' || text[1] == '+' ? 1 : 0;
    const std::size_t count = digits_at(text, 1 + sign);
    if (count == 0 || count > 3) return 0;  // what is left is no unit, so that it is not read
    const int exponent = std::atoi(text.substr(1, sign + count).c_str());
    text.erase(0, 1 + sign + count);
    return exponent;
}

/// The digits that count: not the zeros in front.
int significant_digits(const std::string& whole, const std::string& fraction) {
    const std::string all = whole + fraction;
    const std::size_t first = all.find_first_not_of('0');
    return first == std::string::npos ? 1 : static_cast<int>(all.size() - first);
}

bool take_unit(std::string text, WrittenNumber& number) {
    trim(text);
    for (const std::string_view word : after) {
        const bool ends_so =
            text.size() >= word.size() && text.compare(text.size() - word.size(), word.size(), word) == 0;
        if (!ends_so) continue;
        text.erase(text.size() - word.size());
        trim(text);
        break;
    }
    for (const KnownUnit& known : known_units) {
        if (known.name != text) continue;
        number.factor = known.factor;
        number.unit = known.unit;
        return true;
    }
    return false;
}

}  // namespace

std::optional<WrittenNumber> read_number(std::string_view written) {
    std::string text = half_width(written);
    if (text.size() > 100) return std::nullopt;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
    for (const std::string_view word : before) {
        if (text.compare(0, word.size(), word) == 0) text.erase(0, word.size());
        trim(text);
    }
    const bool is_negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.erase(0, 1);
    trim(text);

    const std::string whole = take_whole(text);
    const std::string fraction = take_fraction(text);
    if (whole.empty() && fraction.empty()) return std::nullopt;
    if (text == ".") text.clear();  // "28."
    const int exponent = take_exponent(text);

    WrittenNumber number;
    const std::string decimal = whole + "." + fraction + "0e" + std::to_string(exponent);
    number.digits_value = std::strtod(decimal.c_str(), nullptr) * (is_negative ? -1.0 : 1.0);
    number.step = std::pow(10.0, exponent - static_cast<int>(fraction.size()));
    number.digits = significant_digits(whole, fraction);
    if (!take_unit(text, number) || !std::isfinite(number.value())) return std::nullopt;
    return number;
}

}  // namespace minimind
