// How many bytes a KV cache has: by the formula, and in the engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/shape.hpp"
#include "model/config.hpp"

namespace minimind {

/// The model with some number of key/value heads.
struct Sharing {
    std::string kind;  // "MHA", "GQA" or "MQA"
    ModelConfig config;

    std::string name() const { return kind + " k=" + std::to_string(config.num_key_value_heads); }
};

/// A key/value head for every query head (MHA); as the config has it, if that is between (GQA); one for all (MQA).
std::vector<Sharing> sharings(const ModelConfig& config);

/// What is cached: B rows of T tokens, each number in so many bytes.
struct CacheSize {
    Batch batch;
    std::int64_t bytes_per_number = 4;
};

/// 2 (K and V) * L layers * B rows * T tokens * k heads * D numbers * bytes. Throws Error if that cannot be counted.
std::int64_t cache_bytes(const ModelConfig& config, const CacheSize& size);

/// The engine's own cache, in float32.
struct MeasuredCache {
    std::int64_t length = 0;     // T
    std::int64_t in_use = 0;     // bytes of the tokens that are cached
    std::int64_t allocated = 0;  // with the spare room for the next ones
};

/// Fills a KvCache with `first` tokens and then with one more a row, as prefill and a decode step do; what it is after
/// each of the two.
std::vector<MeasuredCache> measure_cache(const ModelConfig& config, Batch first);

}  // namespace minimind
