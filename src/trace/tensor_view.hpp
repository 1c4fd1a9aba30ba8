// A tensor as PyTorch would show it, over memory that somebody else owns: pointer, type, dims and strides. Heads,
// transposes and repeated KV heads are views of the same bytes, so that looking at them copies nothing.
#pragma once

#include <armadillo>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/shape.hpp"

namespace minimind {

enum class Dtype { f32, i64 };

/// One axis: index i of it lies `(i / repeat) * stride` elements after index 0. `repeat` is 1 but for repeated KV heads
/// (query heads 0 0 1 1 share KV heads 0 1).
struct Axis {
    std::int64_t size = 0;
    std::int64_t stride = 0;
    std::int64_t repeat = 1;
};

class TensorView {
  public:
    static constexpr std::size_t max_rank = 4;

    TensorView() = default;
    TensorView(const float* data, std::initializer_list<Axis> axes);
    TensorView(const std::int64_t* data, std::initializer_list<Axis> axes);

    /// Row-major, without gaps: the last axis has stride 1. At most max_rank axes.
    TensorView(const float* data, const Shape& shape);
    TensorView(const std::int64_t* data, const Shape& shape);

    Dtype dtype() const { return dtype_; }
    std::size_t rank() const { return rank_; }
    const Axis& axis(std::size_t i) const { return axes_[i]; }
    Shape shape() const;
    std::int64_t count() const;
    /// Row-major without gaps: data() can be read as one array of count() elements.
    bool contiguous() const;

    const float* f32() const { return static_cast<const float*>(data_); }
    const std::int64_t* i64() const { return static_cast<const std::int64_t*>(data_); }

    /// The distance of an element from the first, in elements. One index an axis, each in range (not checked).
    std::int64_t offset(const std::int64_t* index) const;

    /// The elements in row-major order. to_f32 converts integers.
    std::vector<float> to_f32() const;
    std::vector<std::int64_t> to_i64() const;

    /// Calls `run(first_element_offset)` for each vector along the last axis, in row-major order.
    template <typename Run>
    void for_each_row(Run run) const;

  private:
    void set_axes(const Axis* first, std::size_t rank);

    const void* data_ = nullptr;
    Dtype dtype_ = Dtype::f32;
    std::size_t rank_ = 0;
    std::array<Axis, max_rank> axes_{};
};

template <typename Run>
void TensorView::for_each_row(Run run) const {
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < rank_; ++i) rows *= axes_[i].size;
    std::array<std::int64_t, max_rank> index{};
    for (std::int64_t row = 0; row < rows; ++row) {
        run(offset(index.data()));
        for (std::size_t i = rank_ < 2 ? 0 : rank_ - 1; i-- > 0;) {  // the next index, as an odometer
            if (++index[i] < axes_[i].size) break;
            index[i] = 0;
        }
    }
}

}  // namespace minimind
