// This run beside a dump: what `minimind trace --dump DIR` wrote, or what a learner's own PyTorch hooks saved as
// safetensors. The stages are compared in order of time, so that the first one that differs is where to look.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/safetensors.hpp"
#include "stepper/difference.hpp"
#include "stepper/recording.hpp"

namespace minimind {

class Dump {
  public:
    /// A .safetensors file, or a directory with tensors.safetensors or step000/tensors.safetensors. Throws Error.
    explicit Dump(const std::filesystem::path& path);

    const std::string& file() const { return file_.name(); }
    /// The tensor of a stage: under its name, or as PyTorch's modules are called ("model.layers.0" is resid_post of
    /// layer 0). Nothing if there is none.
    const StoredTensor* find(Site site) const;
    /// Its values. Precondition: `find` gave it.
    Record values(const StoredTensor& tensor);
    /// The tokens of the dump, if it says so: [B, S], row-major.
    std::optional<std::vector<std::int64_t>> tokens();

  private:
    SafetensorsFile file_;
};

/// One stage in the run and in the dump.
struct DumpedStage {
    Site site;
    Shape here;
    Shape there;
    std::optional<Difference> difference;  // nothing if the shapes differ
    double tolerance = 0.0;

    bool differs() const { return !difference || difference->max_abs > tolerance; }
};

struct DumpComparison {
    std::vector<DumpedStage> stages;  // those that both have, in order of time
    std::int64_t not_in_dump = 0;     // kept by this run only
    bool same_tokens = true;          // as far as the dump says
};

/// `tolerance` is times max(1, largest): the reference's is 2e-5.
DumpComparison compare_with_dump(const Recording& recording, Dump& dump, double tolerance = 2e-5);

}  // namespace minimind
