// The parts of lesson 9's worksheet: embedding, RMSNorm, residual block.
#pragma once

#include <vector>

#include "lessons/prose.hpp"
#include "lessons/worksheet.hpp"

namespace minimind {

/// What a run of a fresh model shows at these sizes, with seed `sizes.seed` and norm weights 1.
struct Lesson9Run {
    std::int64_t differing_entries = 0;  // between the embeddings of one id at two positions
    double input_rms = 0.0;              // mean RMS of the vectors that enter block 0's input_layernorm
    double output_rms = 0.0;             // ... and of those that leave it
    double scale_of_ten = 0.0;           // RMS of norm(10 x) / RMS of norm(x), for vectors x of RMS 1
};

std::vector<Item> embedding_items(const Sizes& sizes, const Prose& prose, const Lesson9Run& run);
std::vector<Item> norm_items(const Sizes& sizes, const Prose& prose, const Lesson9Run& run);
std::vector<Item> block_items(const Sizes& sizes, const Prose& prose);
std::vector<Item> model_items(const Sizes& sizes, const Prose& prose);

}  // namespace minimind
