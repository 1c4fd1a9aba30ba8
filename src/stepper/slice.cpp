#include "stepper/slice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/numbers.hpp"
#include "core/error.hpp"

namespace minimind {

namespace {

constexpr const char* how_to_slice = "as in Python: [0,1,:,-1:], [::2], [..., :4]; what is left out means :";

std::string without_spaces(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c != ' ' && c != '\t') result.push_back(c);
    }
    return result;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == at) {
            parts.emplace_back();
        } else {
            parts.back().push_back(c);
        }
    }
    return parts;
}

/// The number in one part of a slice. Positions beyond 2^31 are no tensor's; a bound keeps sums far from overflow.
std::int64_t bound(const std::string& text, const std::string& whole) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    try {
        return read_integer(text, {-most, most});
    } catch (const Error&) {
        throw Error("'" + text + "' is no index").at(whole).help(how_to_slice);
    }
}

AxisSlice parse_axis(const std::string& text, const std::string& whole) {
    AxisSlice axis;
    if (text.empty()) throw Error("an index is missing between two commas").at(whole).help(how_to_slice);
    if (text == "...") {
        axis.is_ellipsis = true;
        return axis;
    }
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() == 1) {
        axis.is_index = true;
        axis.index = bound(text, whole);
        return axis;
    }
    if (parts.size() > 3) throw Error("a range is start:stop:step").at(whole).help(how_to_slice);
    if (!parts[0].empty()) axis.start = bound(parts[0], whole);
    if (!parts[1].empty()) axis.stop = bound(parts[1], whole);
    if (parts.size() == 3 && !parts[2].empty()) axis.step = bound(parts[2], whole);
    if (axis.step == 0)
        throw Error("a step cannot be 0").at(whole).help("[::1] takes every position, [::2] every second");
    return axis;
}

/// Where a bound of a range comes to lie: counted from the end if negative, cut to the axis.
std::int64_t cut(std::int64_t at, std::int64_t size, std::int64_t least, std::int64_t most) {
    return std::clamp(at < 0 ? at + size : at, least, most);
}

std::vector<std::int64_t> range_positions(const AxisSlice& axis, std::int64_t size) {
    const bool forwards = axis.step > 0;
    const std::int64_t least = forwards ? 0 : -1;
    const std::int64_t most = forwards ? size : size - 1;
    const std::int64_t start = axis.start ? cut(*axis.start, size, least, most) : (forwards ? 0 : size - 1);
    const std::int64_t stop = axis.stop ? cut(*axis.stop, size, least, most) : (forwards ? size : -1);
    std::vector<std::int64_t> positions;
    for (std::int64_t i = start; forwards ? i < stop : i > stop; i += axis.step) positions.push_back(i);
    return positions;
}

/// The slice with as many entries as the tensor has axes.
Slice filled(const Slice& slice, const Shape& shape, const std::string& where) {
    const auto given = std::ranges::count_if(slice, [](const AxisSlice& axis) { return !axis.is_ellipsis; });
    if (given > std::ssize(shape)) {
        throw Error(fmt::format("{} indices for a tensor with {} axes", given, shape.size()))
            .at(where)
            .note("its shape is " + list_text(shape))
            .help(shape.empty() ? "it is one number: leave out the brackets"
                                : fmt::format("give at most {}", shape.size()));
    }
    const auto missing = shape.size() - static_cast<std::size_t>(given);
    Slice result;
    for (const AxisSlice& axis : slice) {
        if (axis.is_ellipsis) {
            result.resize(result.size() + missing);
        } else {
            result.push_back(axis);
        }
    }
    result.resize(shape.size());
    return result;
}

std::string number_or_nothing(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "";
}

}  // namespace

std::string AxisSlice::text() const {
    if (is_ellipsis) return "...";
    if (is_index) return std::to_string(index);
    const std::string range = number_or_nothing(start) + ":" + number_or_nothing(stop);
    return step == 1 ? range : range + ":" + std::to_string(step);
}

Slice parse_slice(const std::string& text) {
    std::string inner = without_spaces(text);
    if (inner.starts_with('[') != inner.ends_with(']') || inner == "[") {
        throw Error("a bracket is missing").at(text).help(how_to_slice);
    }
    if (inner.starts_with('[')) inner = inner.substr(1, inner.size() - 2);
    if (inner.empty()) return {};
    if (inner.ends_with(',')) inner.pop_back();  // Python's x[0,]
    Slice slice;
    for (const std::string& part : split(inner, ',')) slice.push_back(parse_axis(part, text));
    if (std::ranges::count_if(slice, &AxisSlice::is_ellipsis) > 1) {
        throw Error("'...' can stand only once").at(text).help(how_to_slice);
    }
    return slice;
}

std::string slice_text(const Slice& slice) {
    if (slice.empty()) return "";
    std::string text;
    for (const AxisSlice& axis : slice) text += (text.empty() ? "" : ", ") + axis.text();
    return "[" + text + "]";
}

Shape Selection::shape() const {
    Shape shape;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (is_kept[i]) shape.push_back(std::ssize(positions[i]));
    }
    return shape;
}

std::int64_t Selection::count() const {
    std::int64_t count = 1;
    for (const std::vector<std::int64_t>& axis : positions) count *= std::ssize(axis);
    return count;
}

bool Selection::is_element() const {
    return std::ranges::none_of(is_kept, [](bool kept) { return kept; });
}

std::vector<std::int64_t> Selection::element() const {
    std::vector<std::int64_t> index;
    for (const std::vector<std::int64_t>& axis : positions) index.push_back(axis.front());
    return index;
}

Selection select(const Slice& slice, const Shape& shape, const std::string& where) {
    const Slice axes = filled(slice, shape, where);
    Selection selection;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const AxisSlice& axis = axes[i];
        selection.is_kept.push_back(!axis.is_index);
        if (!axis.is_index) {
            selection.positions.push_back(range_positions(axis, shape[i]));
            continue;
        }
        if (axis.index >= shape[i] || axis.index < -shape[i]) {
            throw Error(fmt::format("index {} is not on axis {}, which has {} positions", axis.index, i, shape[i]))
                .at(where)
                .note("its shape is " + list_text(shape))
                .help(shape[i] == 0 ? "the axis is empty"
                                    : fmt::format("use 0 to {}, or -{} to -1", shape[i] - 1, shape[i]));
        }
        selection.positions.push_back({axis.index < 0 ? axis.index + shape[i] : axis.index});
    }
    return selection;
}

std::vector<std::int64_t> index_of(const Selection& selection, std::int64_t n) {
    std::vector<std::int64_t> index(selection.positions.size());
    for (std::size_t i = index.size(); i-- > 0;) {
        const std::vector<std::int64_t>& axis = selection.positions[i];
        index[i] = axis[static_cast<std::size_t>(n % std::ssize(axis))];
        n /= std::ssize(axis);
    }
    return index;
}

std::vector<double> selected_values(const TensorView& tensor, const Selection& selection) {
    std::vector<std::int64_t> offsets = {0};  // of the elements chosen so far, axis by axis
    for (std::size_t i = 0; i < selection.positions.size(); ++i) {
        const Axis& axis = tensor.axis(i);
        std::vector<std::int64_t> longer;
        longer.reserve(offsets.size() * selection.positions[i].size());
        for (const std::int64_t offset : offsets) {
            for (const std::int64_t position : selection.positions[i]) {
                longer.push_back(offset + position / axis.repeat * axis.stride);
            }
        }
        offsets = std::move(longer);
    }
    std::vector<double> values;
    values.reserve(offsets.size());
    for (const std::int64_t offset : offsets) {
        values.push_back(tensor.dtype() == Dtype::f32 ? static_cast<double>(tensor.f32()[offset])
                                                      : static_cast<double>(tensor.i64()[offset]));
    }
    return values;
}

}  // namespace minimind
