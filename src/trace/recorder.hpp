// A hook that keeps what it sees: statistics of each stage, and the values of those that are asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trace/hook.hpp"
#include "trace/statistics.hpp"

namespace minimind {

struct Record {
    Site site;
    Dtype dtype = Dtype::f32;
    Shape shape;
    Statistics statistics;
    std::vector<float> f32;         // row-major, if the values were kept and are floats
    std::vector<std::int64_t> i64;  // likewise integers

    /// The kept values as a tensor. Throws std::logic_error if they were not kept.
    TensorView view() const;
};

class Recorder : public Hook {
  public:
    using Choose = std::function<bool(Site)>;

    /// Records the stages that `choose` accepts; with keep_values their values, too.
    explicit Recorder(Choose choose, bool keep_values = true, bool with_statistics = true);
    /// Records everything.
    Recorder();

    bool wants(Site site) const override { return choose_(site); }
    void observe(Site site, const TensorView& tensor) override;

    const std::vector<Record>& records() const { return records_; }
    std::vector<Record> take_records() { return std::move(records_); }

    /// The record of a stage by its full name, or nullptr.
    const Record* find(const std::string& name) const;

  private:
    Choose choose_;
    bool keep_values_;
    bool with_statistics_;
    std::vector<Record> records_;
};

}  // namespace minimind
