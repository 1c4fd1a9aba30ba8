// A slice bound to the sizes of a tensor.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "stepper/slice.hpp"

namespace minimind {

namespace {

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

}  // namespace

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
