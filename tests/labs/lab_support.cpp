#include "lab_support.hpp"

#include <algorithm>
#include <cmath>
#include <regex>
#include <sstream>

#include "lab_json.hpp"
#include "support/run_program.hpp"
#include "support/text.hpp"

namespace minimind {

namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

const std::string mark = "  » ";

bool starts_with(const std::string& text, const std::string& start) {
    return text.compare(0, start.size(), start) == 0;
}

CommandLine with(CommandLine words, const CommandLine& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::string without_spaces(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}

/// The explanation at the end of a section's lines, without marks and spaces; "" if there is none.
std::string explanation_in(const Lines& section) {
    std::string text;
    for (const std::string& line : section) {
        if (starts_with(line, mark)) text += line.substr(mark.size());
    }
    return without_spaces(text);
}

/// Letters of the three-byte range that Chinese characters and their punctuation are in.
bool has_chinese(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0xe3 && byte <= 0xe9;
    });
}

/// A number in the text, and how far what it was rounded from may be away.
struct PrintedNumber {
    double value;
    double rounding;
};

/// Numbers that are no part of a name: 2, -100, 1e-06, 0.998722, 63,912,192. What follows the point says how they were
/// rounded; on top of that a float32 has 24 bits.
std::vector<PrintedNumber> numbers_in(const std::string& line) {
    static const std::regex number(R"((^|[^\w.])(-?\d+(,\d{3})*(\.(\d+))?(e[-+]?\d+)?)(?![\w.]*[A-Za-z_]))");
    std::vector<PrintedNumber> numbers;
    for (auto match = std::sregex_iterator(line.begin(), line.end(), number); match != std::sregex_iterator();
         ++match) {
        const std::string digits = std::regex_replace(match->str(2), std::regex(","), "");
        const double value = std::stod(digits);
        const auto decimals = static_cast<double>(match->length(5));
        const bool is_rounded = match->length(5) > 0;
        numbers.push_back({value, is_rounded ? 0.5001 * std::pow(10.0, -decimals) + 1e-7 * std::abs(value) : 0.0});
    }
    return numbers;
}

/// Every number in the JSON, also in its keys and texts.
void collect_numbers(const Json& json, std::vector<double>& numbers) {
    const auto collect_text = [&numbers](const std::string& text) {
        for (const PrintedNumber& number : numbers_in(text)) numbers.push_back(number.value);
    };
    if (json.is_number()) numbers.push_back(json.get<double>());
    if (json.is_string()) {
        for (const std::string& line : lines_of(json.get<std::string>())) collect_text(line);
    }
    if (json.is_object()) {
        for (const auto& item : json.items()) collect_text(item.key());
    }
    if (json.is_structured()) {
        for (const Json& value : json) collect_numbers(value, numbers);
    }
}

/// "True", "None", a number, a tuple or a list, or text in quotes or without, against the value in the JSON.
bool is_printed_as(const Json& value, const std::string& text) {
    if (value.is_null()) return text == "None" || text == "nan";
    if (value.is_boolean()) return text == (value.get<bool>() ? "True" : "False");
    if (value.is_string()) {
        const bool is_escaped = text.find('\\') != std::string::npos;
        return is_escaped || text.find(value.get<std::string>()) != std::string::npos;
    }
    std::vector<double> values;
    collect_numbers(value, values);
    std::vector<PrintedNumber> printed = numbers_in(text);
    if (value.is_number() && !printed.empty()) printed.resize(1);  // "4,915,200 (4.915M)"
    return std::equal(values.begin(), values.end(), printed.begin(), printed.end(),
                      [](double v, const PrintedNumber& p) { return std::abs(v - p.value) <= p.rounding; });
}

void check_numbers(const Lines& lines, const Json& section) {
    std::vector<double> known;
    collect_numbers(section, known);
    for (const std::string& line : lines) {
        for (const PrintedNumber& number : numbers_in(line)) {
            const bool is_there = std::any_of(known.begin(), known.end(), [&](double value) {
                return std::abs(value - number.value) <= number.rounding;
            });
            CHECK_MESSAGE(is_there, number.value << " of the line " << line);
        }
    }
}

/// In a section of values only, every line with a "=" between a name and what it stands for must be one of them.
void check_values(const Lines& lines, const Json& section) {
    if (!section.contains("values") || section.contains("rows")) return;
    const Json& values = section["values"];
    for (const std::string& line : lines) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos || line.find(" = ") != std::string::npos) continue;
        const std::string key = line.substr(0, equals);
        REQUIRE_MESSAGE(values.contains(key), line);
        CHECK_MESSAGE(is_printed_as(values[key], line.substr(equals + 1)), line);
    }
}

/// The lines of each section of the JSON, from its heading to the next one. A section whose heading is not "[title]"
/// reaches back to the last empty line before its text.
std::vector<Lines> text_sections(const std::string& text, const Json& lab) {
    std::vector<Lines> sections;
    Lines lines = lines_of(text);
    std::size_t begin = 0;
    for (std::size_t i = 0; i + 1 < lab.at("sections").size(); ++i) {
        const std::string heading = "[" + lab.at("sections")[i + 1]["title"].get<std::string>() + "]";
        auto end = std::find(lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.end(), heading);
        if (end == lines.end()) {  // another heading: what comes after the last empty line
            while (end != lines.begin() && (end - 1)->empty()) --end;
            while (end != lines.begin() && !(end - 1)->empty()) --end;
        }
        const auto next = static_cast<std::size_t>(end - lines.begin());
        REQUIRE(next > begin);
        sections.emplace_back(lines.begin() + static_cast<std::ptrdiff_t>(begin), end);
        begin = next;
    }
    sections.emplace_back(lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.end());
    return sections;
}

/// What --explain adds in one language.
void check_language(const CommandLine& words, const std::string& language) {
    CAPTURE(language);
    const CommandLine in_language = with(words, {"--lang", language});
    const std::string explained = lab_text(with(in_language, {"--explain"}));
    const Json json = run_lab(with(in_language, {"--explain"}));

    std::string rest;
    for (const std::string& line : lines_of(explained)) {
        if (!starts_with(line, mark)) rest += line + "\n";
    }
    CHECK(rest == lab_text(in_language));  // which has no such line, then

    const std::vector<Lines> sections = text_sections(explained, json);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const Json& section = json.at("sections")[i];
        const auto title = section["title"].get<std::string>();
        CAPTURE(title);
        REQUIRE(section.contains("explanation"));
        const auto explanation = section["explanation"].get<std::string>();
        CHECK(has_chinese(explanation) == (language == "zh"));
        CHECK_MESSAGE(explanation.find_first_of("{}") == std::string::npos, explanation);
        CHECK(explanation_in(sections[i]) == without_spaces(explanation));
    }
}

}  // namespace

std::string lab_text(const CommandLine& words) {
    const ProgramResult result = run_program(words);
    CHECK_MESSAGE(result.exit_code == 0, result.err);
    CHECK_MESSAGE((result.err.empty() || starts_with(result.err, "note: ")), result.err);
    return result.out;
}

void check_explanations(const CommandLine& words) {
    check_language(words, "en");
    check_language(words, "zh");
    const Json json = run_lab(words);
    for (const Json& section : json.at("sections")) CHECK(!section.contains("explanation"));
}

void check_json_holds_text(const CommandLine& words) {
    const Json json = run_lab(words);
    const std::vector<Lines> sections = text_sections(lab_text(words), json);
    REQUIRE(sections.size() == json.at("sections").size());
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const Json& section = json.at("sections")[i];
        const auto title = section["title"].get<std::string>();
        CAPTURE(title);
        check_numbers(sections[i], section);
        check_values(sections[i], section);
    }
}

}  // namespace minimind
