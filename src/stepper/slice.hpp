// Python's slice syntax, applied to a tensor:
//
//   scores[0,1,:,-1:]    row 0, head 1, all queries, the last key       shape [S, 1]
//   q_rope[0]            what is left out means `:`                     shape [S, h, D]
//   resid_mid[..., :4]   `...` stands for as many `:` as are missing    shape [B, S, 4]
//   z[::2]               start:stop:step; a step below 0 goes back
//
// As in Python an index drops its axis, a range keeps it, negative numbers count from the end, and a range that leaves
// the axis is cut to it; an index that leaves the axis is an error. (PyTorch has no steps below 0; NumPy has.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/tensor_view.hpp"

namespace minimind {

/// What stands between two commas.
struct AxisSlice {
    bool is_index = false;              // a single number
    std::int64_t index = 0;             // ... namely
    std::optional<std::int64_t> start;  // of a range
    std::optional<std::int64_t> stop;
    std::int64_t step = 1;
    bool is_ellipsis = false;

    std::string text() const;  // "1:3", "-1", "..."
};

using Slice = std::vector<AxisSlice>;

/// "[0,1,:,-1:]", with or without its brackets; "" and "[]" mean everything. Throws Error for what is no slice.
Slice parse_slice(const std::string& text);
/// "[0, 1, :, -1:]"; "" for an empty one.
std::string slice_text(const Slice& slice);

/// A slice bound to the sizes of a tensor: for each axis the positions that are chosen, in order.
struct Selection {
    std::vector<std::vector<std::int64_t>> positions;  // one list an axis of the tensor
    std::vector<bool> is_kept;                         // one an axis: false where a single index dropped it

    Shape shape() const;  // of the result: the kept axes
    std::int64_t count() const;
    /// Is it all single indices, one element?
    bool is_element() const;
    /// Of an element: its index.
    std::vector<std::int64_t> element() const;
};

/// Throws Error, at `where` and with what would have worked, for more indices than axes or an index out of range.
Selection select(const Slice& slice, const Shape& shape, const std::string& where);

/// The selected values, row-major in the order of the selection; as doubles, which hold float32 and ids exactly.
std::vector<double> selected_values(const TensorView& tensor, const Selection& selection);

/// The index in the tensor of the n-th selected value.
std::vector<std::int64_t> index_of(const Selection& selection, std::int64_t n);

}  // namespace minimind
