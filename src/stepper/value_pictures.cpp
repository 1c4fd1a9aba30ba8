#include "stepper/value_pictures.hpp"

#include <algorithm>
#include <ostream>

#include "console/cells.hpp"
#include "core/error.hpp"
#include "report/trace_report.hpp"
#include "stepper/shades.hpp"
#include "stepper/walk.hpp"

namespace minimind {

namespace {

/// What is drawn: a selection that keeps at most `axes` axes.
struct Drawing {
    Site site;
    TensorView values;
    Slice slice;  // with an index 0 for each axis that was one too many
    Selection selection;
    std::vector<std::size_t> kept;
};

Drawing drawing_of(SessionState& session, const std::string& argument, std::size_t axes, std::ostream& out) {
    const StageArgument stage = stage_argument(session, argument);
    Drawing drawing{stage.site, values_of(session, stage.site, out), {}, {}, {}};
    const Selection asked = select(stage.slice, drawing.values.shape(), stage.text);
    if (asked.count() == 0) {
        throw Error("nothing is selected").at(stage.text).note("the selection has shape " + list_text(asked.shape()));
    }
    auto too_many = static_cast<std::int64_t>(asked.shape().size()) - static_cast<std::int64_t>(axes);
    for (std::size_t i = 0; i < asked.positions.size(); ++i) {
        const std::vector<std::int64_t>& positions = asked.positions[i];
        drawing.selection.positions.push_back(positions);
        drawing.selection.is_kept.push_back(asked.is_kept[i]);
        if (asked.is_kept[i] && too_many > 0) {
            drawing.selection.positions.back().resize(1);
            drawing.selection.is_kept.back() = false;
            --too_many;
        }
        if (drawing.selection.is_kept[i]) drawing.kept.push_back(i);
    }
    return drawing;
}

/// "attn_weights[0, 0, :, :]"
std::string title_of(const SessionState& session, const Drawing& drawing) {
    std::string text;
    for (std::size_t i = 0; i < drawing.selection.positions.size(); ++i) {
        text += i == 0 ? "[" : ", ";
        text += drawing.selection.is_kept[i] ? ":" : std::to_string(drawing.selection.positions[i].front());
    }
    return short_name(drawing.site, session.layer) + (text.empty() ? "" : text + "]");
}

/// What a position of an axis is called: its number, and on an axis of tokens what stands there.
AxisLabels labels_of(const SessionState& session, const Drawing& drawing, std::size_t axis) {
    const std::vector<std::string> names = axis_names(drawing.site.point);
    AxisLabels labels;
    labels.name = axis < names.size() ? names[axis] : "";
    const bool has_batch = !names.empty() && names[0] == "B";
    const std::size_t row = has_batch ? static_cast<std::size_t>(drawing.selection.positions[0].front()) : 0;
    const bool is_token = labels.name == "S" || labels.name == "S-1" || labels.name == "T";
    const std::int64_t shift = labels.name == "T" ? 0 : session.recording->past();
    for (const std::int64_t position : drawing.selection.positions[axis]) {
        labels.labels.push_back(std::to_string(position));
        const auto token = static_cast<std::size_t>(position + shift);
        if (!is_token || !has_batch || row >= session.token_text.size() || token >= session.token_text[row].size())
            continue;
        labels.texts.push_back(visible(session.token_text[row][token]));
    }
    if (labels.texts.size() != labels.labels.size()) labels.texts.clear();
    return labels;
}

}  // namespace

void heat_command(SessionState& session, const std::string& argument, std::ostream& out) {
    const Drawing drawing = drawing_of(session, argument, 2, out);
    const std::vector<double> values = selected_values(drawing.values, drawing.selection);
    ShadedMatrix matrix;
    if (drawing.kept.size() > 1) matrix.down = labels_of(session, drawing, drawing.kept[drawing.kept.size() - 2]);
    if (!drawing.kept.empty()) matrix.across = labels_of(session, drawing, drawing.kept.back());
    const std::size_t columns = matrix.across.labels.empty() ? values.size() : matrix.across.labels.size();
    for (std::size_t first = 0; first < values.size(); first += columns) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
        matrix.rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(columns));
    }
    matrix.zero_is_blank = drawing.site.point == Point::attn_weights;
    out << title_of(session, drawing) << "  " << list_text(drawing.selection.shape()) << "\n"
        << shaded(matrix, session.width, session.language, session.paint);
}

void curve_command(SessionState& session, const std::string& argument, std::ostream& out) {
    constexpr std::size_t height = 9;
    const Drawing drawing = drawing_of(session, argument, 1, out);
    const std::vector<double> values = selected_values(drawing.values, drawing.selection);
    AxisLabels across;
    if (!drawing.kept.empty()) across = labels_of(session, drawing, drawing.kept.back());
    out << title_of(session, drawing) << "  " << list_text(drawing.selection.shape()) << "\n"
        << curve(values, across, session.width, height, session.language);
}

}  // namespace minimind
