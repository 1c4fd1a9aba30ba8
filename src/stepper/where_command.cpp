// The command `where`.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "console/cells.hpp"
#include "console/table.hpp"
#include "core/error.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/picture.hpp"
#include "stepper/stage_inputs.hpp"
#include "stepper/where.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

using Index = std::vector<std::int64_t>;

/// "((1*4 + 2)*6 + 3)*16 + 4"
std::string horner_text(const Shape& shape, const Index& index) {
    std::string sum = std::to_string(index[0]);
    for (std::size_t i = 1; i < shape.size(); ++i) {
        const bool is_sum = i > 1;
        sum = fmt::format("{}{}{}*{} + {}", is_sum ? "(" : "", sum, is_sum ? ")" : "", shape[i], index[i]);
    }
    return sum;
}

/// "1*384 + 2*16 + 3*64 + 4*1"; a repeated head counts once: "(2/2)*16".
std::string stride_text(const TensorView& layout, const Index& index) {
    std::string sum;
    for (std::size_t i = 0; i < index.size(); ++i) {
        const Axis& axis = layout.axis(i);
        const std::string place =
            axis.repeat == 1 ? std::to_string(index[i]) : fmt::format("({}/{})", index[i], axis.repeat);
        sum += fmt::format("{}{}*{}", i == 0 ? "" : " + ", place, axis.stride);
    }
    return sum;
}

const Shape& shape_of(const Recording& recording, Site site) {
    return recording.stage(recording.find(site)).record.shape;
}

std::string value_text(const Recording& recording, const ElementPlace& place) {
    if (!recording.keeps(place.site)) return "-";
    return fmt::format("{:.6g}", value_at(recording.view(place.site), place.index));
}

/// The name with its layer where that is not the current one.
std::string place_name(const SessionState& session, const ElementPlace& place) {
    const std::string name = element_name(place.site, place.index);
    const bool is_here = place.site.layer < 0 || place.site.layer == session.layer;
    return is_here ? name : fmt::format("layers.{}.{}", place.site.layer, name);
}

/// A line a place; without the shapes where they do not fit.
std::string table_text(const SessionState& session, const std::vector<ElementPlace>& places, const ElementPlace& asked,
                       bool with_shapes) {
    const Recording& recording = *session.recording;
    std::vector<Column> columns = {{"", Align::left}, {session.words("element", "元素"), Align::left}};
    if (with_shapes) columns.push_back({session.words("of shape", "所在 shape"), Align::left});
    columns.push_back({session.words("flat", "平铺序号"), Align::right});
    columns.push_back({session.words("memory", "内存位置"), Align::right});
    columns.push_back({session.words("value", "值"), Align::right});
    Table table(columns);
    for (const ElementPlace& place : places) {
        const Shape& shape = shape_of(recording, place.site);
        std::vector<std::string> cells = {place == asked ? "-->" : "", place_name(session, place)};
        if (with_shapes) cells.push_back(list_text(shape));
        cells.push_back(std::to_string(flat_index(shape, place.index)));
        cells.push_back(std::to_string(memory_layout(recording, place.site).offset(place.index.data())));
        cells.push_back(value_text(recording, place));
        table.add_row(std::move(cells));
    }
    const std::string text = table.text();
    const std::vector<std::string> lines = wrap(text, 1000);
    const bool fits =
        std::ranges::all_of(lines, [&](const std::string& line) { return display_width(line) <= session.width; });
    return fits || !with_shapes ? text : table_text(session, places, asked, false);
}

/// Stages that read this one, by their last names.
std::string readers_of(const Recording& recording, Site site) {
    std::string names;
    for (const Stage& stage : recording.stages()) {
        const std::vector<StageInput> inputs = inputs_of(recording, stage.site());
        const bool reads = std::ranges::any_of(inputs, [&](const StageInput& input) { return input.site == site; });
        if (reads) names += (names.empty() ? "" : ", ") + short_name(stage.site());
    }
    return names;
}

void show_where(const SessionState& session, const ElementPlace& asked, std::ostream& out) {
    const Recording& recording = *session.recording;
    const std::vector<ElementPlace> places = places_of_element(recording, asked.site, asked.index);
    out << table_text(session, places, asked, true) << "\n";
    for (const ElementPlace& place : places) {
        if (place.how.empty()) continue;
        out << labelled(short_name(place.site) + "  ", place.how.in(session.language), session.width);
    }
    const Shape& shape = shape_of(recording, asked.site);
    if (!shape.empty()) {
        const TensorView layout = memory_layout(recording, asked.site);
        out << labelled(session.words("flat", "平铺"),
                        fmt::format("{} = {}", horner_text(shape, asked.index), flat_index(shape, asked.index)),
                        session.width)
            << labelled(session.words("memory", "内存"),
                        fmt::format(fmt::runtime(session.words("{} = {}, the index times the strides",
                                                               "{} = {}，即下标乘以 stride")),
                                    stride_text(layout, asked.index), layout.offset(asked.index.data())),
                        session.width);
    }
    const std::string readers = readers_of(recording, places.back().site);
    if (!readers.empty()) out << labelled(session.words("read by", "被谁读"), readers, session.width);
}

void run_where(SessionState& session, const std::string& arguments, std::ostream& out) {
    const StageArgument argument = stage_argument(session, arguments);
    const TensorView values = values_of(session, argument.site, out);
    const Selection selection = select(argument.slice, values.shape(), argument.text);
    if (!selection.is_element()) {
        Index example;
        for (const std::int64_t size : values.shape()) example.push_back(size / 2);
        throw Error(
            session.words("where follows one element, and this is a slice", "where 跟踪一个元素，而这是一个切片"))
            .at(argument.text.empty() ? short_name(argument.site) : argument.text)
            .note(session.words("the shape is ", "shape 是 ") + list_text(values.shape()))
            .help("where " + element_name(argument.site, example));
    }
    show_where(session, {argument.site, selection.element()}, out);
}

}  // namespace

StepCommand where_command() {
    return {"where",
            {},
            "where STAGE[i,j,k]",
            {"one element through view, transpose and reshape", "跟踪一个元素经过 view、transpose 和 reshape"},
            {"Lists every stage that holds this very number, with its index, its row-major number and its place in "
             "memory: views share their memory, so that place stays while the index changes.",
             "列出存有这个数的每个阶段：下标、按行优先展开的序号，以及内存位置。视图共用同一块内存，所以下标变了，内存"
             "位置不变。"},
            run_where,
            false,
            true};
}

}  // namespace minimind
