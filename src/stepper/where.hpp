// One element followed through the stages that hold it without computing: views, transposes, repeats, the cache.
//
//   k_proj[0, 3, 20] -> k[0, 3, 1, 4] -> (norm and RoPE make another number of it)
//   k_rope[0, 3, 1, 4] -> k_repeat[0, 3, 2, 4], k_repeat[0, 3, 3, 4]      the same bytes, read by two query heads
//   z[1, 2, 3, 4] -> merged[1, 3, 36]                                     the same bytes with the axes exchanged
#pragma once

#include <cstdint>
#include <vector>

#include "console/language.hpp"
#include "stepper/recording.hpp"

namespace minimind {

struct ElementPlace {
    Site site;
    std::vector<std::int64_t> index;
    Words how = {};  // how it follows from the place before it; empty for the first

    friend bool operator==(const ElementPlace& a, const ElementPlace& b) {
        return a.site == b.site && a.index == b.index;
    }
};

/// All stages of the pass that hold this element, in order of time; the one given is among them.
/// Precondition: the index is in range.
std::vector<ElementPlace> places_of_element(const Recording& recording, Site site,
                                            const std::vector<std::int64_t>& index);

/// The row-major number of an element: ((1*4 + 2)*6 + 3)*16 + 4.
std::int64_t flat_index(const Shape& shape, const std::vector<std::int64_t>& index);

/// How a stage lies in memory, as the engine has it: q in the bytes of q_proj, k_repeat in those of k_rope (a head that
/// repeats has no bytes of its own), z in those of merged. Without data: for offsets only.
TensorView memory_layout(const Recording& recording, Site site);

}  // namespace minimind
