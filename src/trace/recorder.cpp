#include "trace/recorder.hpp"

#include <stdexcept>

namespace minimind {

TensorView Record::view() const {
    if (dtype == Dtype::i64) {
        if (std::ssize(i64) != element_count(shape)) throw std::logic_error("the values of this stage were not kept");
        return {i64.data(), shape};
    }
    if (std::ssize(f32) != element_count(shape)) throw std::logic_error("the values of this stage were not kept");
    return {f32.data(), shape};
}

Recorder::Recorder(Choose choose, bool keep_values, bool with_statistics)
    : choose_(std::move(choose)), keep_values_(keep_values), with_statistics_(with_statistics) {}

Recorder::Recorder() : Recorder([](Site) { return true; }) {}

void Recorder::observe(Site site, const TensorView& tensor) {
    Record record{site, tensor.dtype(), tensor.shape(), {}, {}, {}};
    if (with_statistics_) record.statistics = statistics_of(tensor);
    if (keep_values_ && tensor.dtype() == Dtype::f32) record.f32 = tensor.to_f32();
    if (keep_values_ && tensor.dtype() == Dtype::i64) record.i64 = tensor.to_i64();
    records_.push_back(std::move(record));
}

const Record* Recorder::find(const std::string& name) const {
    for (const Record& record : records_) {
        if (site_name(record.site) == name) return &record;
    }
    return nullptr;
}

}  // namespace minimind
