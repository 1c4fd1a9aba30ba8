#include "kv_cache_memory/cache_size.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "model/kv_cache.hpp"

namespace minimind {

namespace {

Sharing sharing(const std::string& kind, ModelConfig config, std::int64_t kv_heads) {
    config.num_key_value_heads = kv_heads;
    return {kind, config};
}

}  // namespace

std::vector<Sharing> sharings(const ModelConfig& config) {
    const std::int64_t heads = config.num_attention_heads;
    const std::int64_t kv_heads = config.num_key_value_heads;
    std::vector<Sharing> result = {sharing("MHA", config, heads)};
    if (1 < kv_heads && kv_heads < heads) result.push_back(sharing("GQA", config, kv_heads));
    if (heads > 1) result.push_back(sharing("MQA", config, 1));
    return result;
}

std::int64_t cache_bytes(const ModelConfig& config, const CacheSize& size) {
    std::int64_t bytes = 2;
    for (const std::int64_t factor :
         {config.num_hidden_layers, size.batch.batch, size.batch.seq, config.kv_size(), size.bytes_per_number}) {
        if (!__builtin_mul_overflow(bytes, factor, &bytes)) continue;
        throw Error("the cache has more bytes than can be counted")
            .at(fmt::format("--batch_size {} --lengths {}", size.batch.batch, size.batch.seq))
            .help("use smaller sizes");
    }
    return bytes;
}

std::vector<MeasuredCache> measure_cache(const ModelConfig& config, Batch first) {
    KvCache cache(config);
    std::vector<MeasuredCache> result;
    for (const Batch& added : {first, Batch{first.batch, 1}}) {
        const arma::fmat kv(static_cast<arma::uword>(config.kv_size()), static_cast<arma::uword>(added.tokens()),
                            arma::fill::zeros);  // [B, S, k*D]
        for (int i = 0; i < cache.layers(); ++i) cache.layer(i).append(kv, kv, added);
        MeasuredCache measured{cache.length()};
        for (int i = 0; i < cache.layers(); ++i) {
            const LayerCache& layer = cache.layer(i);
            const auto numbers = static_cast<std::int64_t>(layer.k().n_elem + layer.v().n_elem);
            measured.allocated += 4 * numbers;
            measured.in_use += 4 * (numbers / layer.capacity()) * layer.length();
        }
        result.push_back(measured);
    }
    return result;
}

}  // namespace minimind
