#include "stepper/picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/cells.hpp"
#include "console/table.hpp"
#include "model/parameters.hpp"
#include "report/trace_report.hpp"
#include "stepper/stage_inputs.hpp"
#include "stepper/stage_parameters.hpp"
#include "stepper/stage_words.hpp"
#include "stepper/walk.hpp"

namespace minimind {

namespace {

constexpr std::size_t label_width = 9;

/// How many stages are shown before and after the current one.
constexpr std::size_t around = 2;

std::string input_text(const SessionState& session) {
    std::string text;
    for (const StageInput& input : inputs_of(*session.recording, session.stage().site())) {
        if (!text.empty()) text += ", ";
        text += input.name + " " + named_shape_text(input.axes, input.shape, session.language);
    }
    return text;
}

std::string parameter_text(const SessionState& session) {
    std::string text;
    for (const StageParameter& parameter : parameters_of(session.model, session.stage().site())) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", parameter.short_name, list_text(parameter.info.shape));
    }
    return text;
}

/// "[0, 0, 0, :] = 0.1 0.2 ...": the first vector along the last axis, as far as it fits.
std::string first_values(const TensorView& values, std::size_t width) {
    if (values.count() == 0) return "-";
    if (values.rank() == 0) return float_text(values.f32()[0]);
    std::string text = "[";
    for (std::size_t i = 0; i + 1 < values.rank(); ++i) text += "0, ";
    text += ":] =";
    const Axis& last = values.axis(values.rank() - 1);
    for (std::int64_t i = 0; i < last.size; ++i) {
        const std::int64_t offset = i / last.repeat * last.stride;
        const double value = values.dtype() == Dtype::f32 ? static_cast<double>(values.f32()[offset])
                                                          : static_cast<double>(values.i64()[offset]);
        const std::string next = " " + number_text(value);
        if (text.size() + next.size() + 4 > width) return text + " ...";
        text += next;
    }
    return text;
}

}  // namespace

std::string number_text(double value) {
    return fmt::format("{:.4g}", value);
}

std::string labelled(const std::string& label, const std::string& body, std::size_t width) {
    std::string text;
    const std::size_t room = width > label_width + 20 ? width - label_width : 20;
    for (const std::string& line : wrap(body, room)) {
        const std::size_t end = line.find_last_not_of(' ') + 1;
        text += pad_right(text.empty() ? label : "", label_width) + line.substr(0, end) + "\n";
    }
    return text;
}

std::string statistics_line(const Statistics& s) {
    std::string text = fmt::format("mean {}  std {}  min {}  max {}  rms {}", number_text(s.mean), number_text(s.std),
                                   number_text(s.min), number_text(s.max), number_text(s.rms));
    if (s.nan_count > 0) text += fmt::format("  nan {}", s.nan_count);
    if (s.pos_inf_count > 0) text += fmt::format("  inf {}", s.pos_inf_count);
    if (s.neg_inf_count > 0) text += fmt::format("  -inf {}", s.neg_inf_count);
    return text;
}

std::string stage_lines(const SessionState& session, std::size_t first, std::size_t last) {
    const Recording& recording = *session.recording;
    std::string text;
    for (std::size_t i = first; i <= last; ++i) {
        const Stage& stage = recording.stage(i);
        const StagePlace place = place_of(recording, i);
        if (i == first || place.number == 1) text += session.paint.dim(group_text(place, session.language)) + "\n";
        const bool stops = session.walk && std::ranges::any_of(session.walk->breakpoints, [&](const Breakpoint& b) {
                               return matches(b.pattern, stage.site());
                           });
        const bool is_secret = session.predict_mode && i > session.at;  // what `predict` is going to ask
        const std::string name = short_name(stage.site(), place.layer) + (stops ? " *" : "");
        const std::string number = fmt::format("{}/{}", place.number, place.of);
        const std::string line = fmt::format("{} {:>5} {} {}", i == session.at ? "-->" : "   ", number,
                                             pad_right(name, 38), is_secret ? "?" : list_text(stage.record.shape));
        text += (i == session.at ? session.paint.bold(line) : line) + "\n";
    }
    return text;
}

std::string picture(const SessionState& session, const TensorView& values) {
    const Recording& recording = *session.recording;
    const Stage& stage = session.stage();
    const Point point = stage.site().point;
    const auto part = [&](const char* en, const char* zh, const std::string& body) {
        return body.empty() ? std::string() : labelled(session.words(en, zh), body, session.width);
    };
    const std::size_t first = session.at - std::min(session.at, around);
    const std::size_t last = std::min(session.at + around, recording.stages().size() - 1);

    std::string text = stage_lines(session, first, last);
    std::string formula = formula_text(point, session.config().use_moe, session.language);
    const std::string symbols = symbols_text(point, session.config());
    if (!symbols.empty()) formula += "  (" + symbols + ")";
    const std::vector<std::string> axes = axis_names(point);
    text += part("formula", "公式", formula);
    text += part("in", "输入", input_text(session));
    text += part("weight", "参数", parameter_text(session));
    text += part("out", "输出", named_shape_text(axes, stage.record.shape, session.language));
    text += part("axes", "各轴", axes_text(axes, session.language));
    text += part("stats", "统计", statistics_line(stage.record.statistics));
    text += part("values", "数值", first_values(values, session.width - label_width));
    return text;
}

}  // namespace minimind
