#include "trace/tensor_view.hpp"

namespace minimind {

namespace {

/// The axes of a row-major tensor without gaps: each stride is the product of the sizes after it.
std::array<Axis, TensorView::max_rank> row_major(const Shape& shape) {
    std::array<Axis, TensorView::max_rank> axes{};
    std::int64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        axes.at(i) = {shape[i], stride, 1};
        stride *= shape[i];
    }
    return axes;
}

template <typename To, typename From>
std::vector<To> gather(const TensorView& view, const From* data) {
    std::vector<To> values;
    values.reserve(static_cast<std::size_t>(view.count()));
    const Axis last = view.rank() == 0 ? Axis{1, 1, 1} : view.axis(view.rank() - 1);
    if (view.count() == 0) return values;
    view.for_each_row([&](std::int64_t first) {
        for (std::int64_t i = 0; i < last.size; ++i) {
            values.push_back(static_cast<To>(data[first + i / last.repeat * last.stride]));
        }
    });
    return values;
}

}  // namespace

TensorView::TensorView(const float* data, std::initializer_list<Axis> axes) : data_(data), dtype_(Dtype::f32) {
    set_axes(axes.begin(), axes.size());
}

TensorView::TensorView(const std::int64_t* data, std::initializer_list<Axis> axes) : data_(data), dtype_(Dtype::i64) {
    set_axes(axes.begin(), axes.size());
}

TensorView::TensorView(const float* data, const Shape& shape) : data_(data), dtype_(Dtype::f32) {
    set_axes(row_major(shape).data(), shape.size());
}

TensorView::TensorView(const std::int64_t* data, const Shape& shape) : data_(data), dtype_(Dtype::i64) {
    set_axes(row_major(shape).data(), shape.size());
}

void TensorView::set_axes(const Axis* first, std::size_t rank) {
    rank_ = rank;
    for (std::size_t i = 0; i < rank; ++i) axes_.at(i) = first[i];
}

Shape TensorView::shape() const {
    Shape shape;
    for (std::size_t i = 0; i < rank_; ++i) shape.push_back(axes_[i].size);
    return shape;
}

std::int64_t TensorView::count() const {
    return element_count(shape());
}

bool TensorView::contiguous() const {
    std::int64_t stride = 1;
    for (std::size_t i = rank_; i-- > 0;) {
        if (axes_[i].repeat != 1) return false;
        if (axes_[i].size != 1 && axes_[i].stride != stride) return false;
        stride *= axes_[i].size;
    }
    return true;
}

std::int64_t TensorView::offset(const std::int64_t* index) const {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < rank_; ++i) offset += index[i] / axes_[i].repeat * axes_[i].stride;
    return offset;
}

std::vector<float> TensorView::to_f32() const {
    return dtype_ == Dtype::f32 ? gather<float>(*this, f32()) : gather<float>(*this, i64());
}

std::vector<std::int64_t> TensorView::to_i64() const {
    return dtype_ == Dtype::i64 ? gather<std::int64_t>(*this, i64()) : gather<std::int64_t>(*this, f32());
}

}  // namespace minimind
