// What a lab prints: sections of lines, as the course prints them, or the same as JSON; and with --explain a line of
// prose under each section.
//
//   LabOutput out("trace_block_shapes", flags);
//   out.section("Config", {"The sizes of the model.", "模型的各个尺寸。"});   // [Config]
//   out.value("hidden_size", 64);                                           // hidden_size=64
//   out.shape("logits", {2, 6, 6400});                                      // logits.shape=(2, 6, 6400)
//   out.row("block output  shape=(2, 6, 64)", {{"stage", "block output"}, {"shape", {2, 6, 64}}});
//   out.finish();
//
// As JSON that is {"lab": "trace_block_shapes", "sections": [{"title": "Config", "values": {"hidden_size": 64,
// "logits.shape": [2, 6, 6400]}, "rows": [{"stage": ..., "shape": ...}], "explanation": "..."}]}. Keys are the same in
// every language, and those of "values" are what the text has before the "=". "values", "rows", "notes" and
// "explanation" are there only where the section has some. NaN and infinity, which JSON has not, become null.
#pragma once

#include <armadillo>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "console/console_flags.hpp"
#include "core/shape.hpp"
#include "report/explanations.hpp"

namespace minimind {

/// The flags that every lab has: --format text|json, --explain, --lang, --color.
class LabFlags {
  public:
    void add(Arguments& args);
    /// A lab with further formats names them all, and says what they are.
    void add(Arguments& args, const std::vector<std::string>& formats, const std::string& format_help);

    ConsoleFlags console;
    bool explain = false;

    const std::string& format() const { return format_; }
    bool is_json() const { return format_ == "json"; }

  private:
    std::string format_ = "text";
};

class LabOutput {
  public:
    using Json = nlohmann::ordered_json;

    /// `flags` must live as long as this does.
    LabOutput(std::string lab, const LabFlags& flags);
    LabOutput(const LabOutput&) = delete;
    LabOutput& operator=(const LabOutput&) = delete;

    /// Begins a section: "[title]", after an empty line unless it is the first. The explanation is printed where the
    /// section ends, with --explain only.
    void section(const std::string& title, Words explanation);

    /// A lab whose prose stands apart from its code gives all of it first, by title, and names sections only.
    void explain_with(Explanations explanations);
    void section(const std::string& title);
    /// The same under another heading than "[title]"; with "" there is only the empty line.
    void section_headed(const std::string& heading, const std::string& title);

    /// "key=value" with the value as Python prints it: 64, 1e-06, True, None, nan, text without quotes, [1, 2].
    void value(const std::string& key, const Json& value);
    /// "key=text": as the course formats it, while the JSON holds the value itself.
    void value(const std::string& key, const Json& value, const std::string& text);
    /// A line in a form of its own that shows several values, each of which is in the JSON's "values".
    void values(const std::string& line, const Json& values);
    /// "name.shape=(2, 6, 64)"
    void shape(const std::string& name, const Shape& shape);
    /// "name:   [batch, seq]", the name with its colon padded to `width`. An axis is a name or a size.
    void axes(const std::string& name, const Json& axes, std::size_t width);
    /// A line a row, each number as the fmt pattern says ("{:.4f}"), with a space between; in JSON rows of numbers.
    void matrix(const std::string& key, const arma::fmat& numbers, const std::string& pattern);
    /// A line of a table; in JSON an object in "rows".
    void row(const std::string& line, Json object);
    /// A line of text only: a table's heading, a rule.
    void line(const std::string& text);
    /// A sentence of prose that the lab always prints; in JSON in "notes".
    void note(const Words& words);
    /// Something that only the JSON holds, beside the section's "values".
    void only_json(const std::string& key, Json value);
    /// The same beside the sections.
    void beside_sections(const std::string& key, Json value);

    /// The open section's explanation. `section` and `finish` do it, too; lines that follow are outside of it.
    void end_section();

    /// The last section's explanation, and the JSON.
    void finish();

    Language language() const { return language_; }
    bool is_json() const { return flags_.is_json(); }

  private:
    void begin_section(const std::string& title, Words explanation, const std::string& heading);
    void print(const std::string& line) const;
    Json& current();

    const LabFlags& flags_;
    Language language_;
    Explanations explanations_;  // by title
    Words explanation_;          // of the open section
    bool in_section_ = false;
    Json document_;
};

}  // namespace minimind
