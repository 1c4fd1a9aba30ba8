#include "report/lab_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "console/cells.hpp"
#include "core/text.hpp"
#include "report/json_layout.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

using Json = LabOutput::Json;

constexpr std::size_t line_width = 100;

std::string list_of(const Json& values);

/// As Python prints it, but text without quotes.
std::string python_text_of(const Json& value) {
    if (value.is_null()) return "None";
    if (value.is_boolean()) return python_bool(value.get<bool>());
    if (value.is_number_float()) return python_float(value.get<double>());
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array()) return list_of(value);
    return value.dump();
}

std::string list_of(const Json& values) {
    std::string text;
    for (const Json& value : values) text += (text.empty() ? "" : ", ") + python_text_of(value);
    return "[" + text + "]";
}

}  // namespace

void LabFlags::add(Arguments& args) {
    add(args, {"text", "json"}, "text: as the course prints it");
}

void LabFlags::add(Arguments& args, const std::vector<std::string>& formats, const std::string& format_help) {
    args.group("Output");
    args.choice("--format", format_, formats, format_help);
    args.flag("--explain", explain, "a line of prose under each section");
    console.add(args);
}

LabOutput::LabOutput(std::string lab, const LabFlags& flags) : flags_(flags), language_(flags.console.language()) {
    document_["lab"] = std::move(lab);
    document_["sections"] = Json::array();
}

void LabOutput::section(const std::string& title, Words explanation) {
    begin_section(title, std::move(explanation), "[" + title + "]");
}

void LabOutput::begin_section(const std::string& title, Words explanation, const std::string& heading) {
    const bool is_first = document_["sections"].empty();
    end_section();
    document_["sections"].push_back({{"title", title}});
    explanation_ = std::move(explanation);
    in_section_ = true;
    if (!is_first) print("");
    if (!heading.empty()) print(heading);
}

void LabOutput::explain_with(Explanations explanations) {
    explanations_ = std::move(explanations);
}

void LabOutput::section(const std::string& title) {
    section(title, explanations_[title]);
}

void LabOutput::section_headed(const std::string& heading, const std::string& title) {
    begin_section(title, explanations_[title], heading);
}

void LabOutput::value(const std::string& key, const Json& value) {
    this->value(key, value, python_text_of(value));
}

void LabOutput::value(const std::string& key, const Json& value, const std::string& text) {
    values(key + "=" + text, {{key, value}});
}

void LabOutput::values(const std::string& line, const Json& values) {
    current()["values"].update(values);
    print(line);
}

void LabOutput::shape(const std::string& name, const Shape& shape) {
    value(name + ".shape", shape, shape_text(shape));
}

void LabOutput::axes(const std::string& name, const Json& axes, std::size_t width) {
    values(pad_right(name + ":", width) + list_of(axes), {{name, axes}});
}

void LabOutput::matrix(const std::string& key, const arma::fmat& numbers, const std::string& pattern) {
    Json rows = Json::array();
    for (arma::uword r = 0; r < numbers.n_rows; ++r) {
        Json row = Json::array();
        std::string line;
        for (arma::uword c = 0; c < numbers.n_cols; ++c) {
            row.push_back(numbers(r, c));
            line += (c == 0 ? "" : " ") + fmt::format(fmt::runtime(pattern), numbers(r, c));
        }
        rows.push_back(std::move(row));
        print(line);
    }
    current()["values"][key] = std::move(rows);
}

void LabOutput::row(const std::string& line, Json object) {
    current()["rows"].push_back(std::move(object));
    print(line);
}

void LabOutput::line(const std::string& text) {
    print(text);
}

void LabOutput::note(const Words& words) {
    const std::string sentence = words.in(language_);
    current()["notes"].push_back(sentence);
    print(sentence);
}

void LabOutput::only_json(const std::string& key, Json value) {
    current()[key] = std::move(value);
}

void LabOutput::beside_sections(const std::string& key, Json value) {
    document_[key] = std::move(value);
}

/// Each line after "  » ", in lines as wide as the terminal.
void LabOutput::end_section() {
    if (!in_section_ || !flags_.explain || explanation_.empty()) return;
    in_section_ = false;
    const std::string prose = explanation_.in(language_);
    current()["explanation"] = prose;
    const std::string mark = "  » ";
    const std::size_t width = std::clamp<std::size_t>(terminal_width(), 24, line_width) - display_width(mark);
    const Paint paint = flags_.console.paint();
    for (const std::string& line : wrap(prose, width)) print(paint.cyan(mark + line));
}

void LabOutput::finish() {
    end_section();
    if (is_json()) fmt::print("{}\n", laid_out(document_));
}

void LabOutput::print(const std::string& line) const {
    if (!is_json()) fmt::print("{}\n", line);
}

/// The open section; lines before the first one belong to a section without a title.
Json& LabOutput::current() {
    Json& sections = document_["sections"];
    if (sections.empty()) sections.push_back({{"title", ""}});
    return sections.back();
}

}  // namespace minimind
