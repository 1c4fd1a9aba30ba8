#include "model/attention.hpp"

#include "model/products.hpp"
#include "model/rms_norm.hpp"

namespace minimind {

namespace {

/// The heads of the new tokens, where they lie: [B, S, heads, D] in fmat(heads*D, B*S).
Heads heads_of(const arma::fmat& x, std::int64_t heads, std::int64_t head_dim, Batch batch) {
    return {x.memptr(), batch.batch, batch.seq, heads, head_dim, heads * head_dim * batch.seq};
}

/// The same of all cached tokens: the cache keeps spare room behind each batch row.
Heads heads_of(const arma::fcube& cached, std::int64_t heads, std::int64_t head_dim, const LayerCache& cache) {
    return {cached.memptr(), cache.batch(), cache.length(), heads, head_dim, heads * head_dim * cache.capacity()};
}

/// z as [B, h, S, D]: the merged heads with two axes exchanged.
TensorView per_head(const Heads& merged) {
    const std::int64_t width = merged.heads * merged.head_dim;
    return {merged.data,
            {{merged.batch, merged.batch_stride, 1},
             {merged.heads, merged.head_dim, 1},
             {merged.length, width, 1},
             {merged.head_dim, 1, 1}}};
}

}  // namespace

arma::fmat Attention::forward(const arma::fmat& x, const BlockInput& input, LayerCache* past_key_value,
                              const StageTrace& trace) const {
    const ModelConfig& config = input.config;
    const auto [batch, seq] = input.batch;
    const std::int64_t heads = config.num_attention_heads;
    const std::int64_t kv_heads = config.num_key_value_heads;
    const std::int64_t dim = config.head_dim;
    const Shape q_shape = {batch, seq, heads, dim};
    const Shape kv_shape = {batch, seq, kv_heads, dim};

    arma::fmat q = trace(Point::q_proj, linear(q_proj, x));        // [B, S, h*D]
    arma::fmat k = trace(Point::k_proj, linear(k_proj, x));        // [B, S, k*D]
    const arma::fmat v = trace(Point::v_proj, linear(v_proj, x));  // [B, S, k*D]
    trace.view(Point::q, TensorView(q.memptr(), q_shape));         // [B, S, h, D]
    trace.view(Point::k, TensorView(k.memptr(), kv_shape));        // [B, S, k, D]
    trace.view(Point::v, TensorView(v.memptr(), kv_shape));        // [B, S, k, D]

    const double eps = config.rms_norm_eps;
    const RotaryTables& rope = input.position_embeddings;                                       // [S, D]
    arma::fmat q_normed = trace(Point::q_norm, rms_norm(std::move(q), q_norm, eps), q_shape);   // [B, S, h, D]
    arma::fmat k_normed = trace(Point::k_norm, rms_norm(std::move(k), k_norm, eps), kv_shape);  // [B, S, k, D]
    const arma::fmat q_rope = trace(Point::q_rope, apply_rope(std::move(q_normed), rope, input.batch), q_shape);
    const arma::fmat k_rope = trace(Point::k_rope, apply_rope(std::move(k_normed), rope, input.batch), kv_shape);

    const Heads queries = heads_of(q_rope, heads, dim, input.batch);  // [B, S, h, D]
    Heads keys = heads_of(k_rope, kv_heads, dim, input.batch);        // [B, T, k, D], T = S without a cache
    Heads values = heads_of(v, kv_heads, dim, input.batch);           // [B, T, k, D]
    if (past_key_value != nullptr) {
        const bool was_empty = past_key_value->length() == 0;
        past_key_value->append(k_rope, v, input.batch);
        keys = heads_of(past_key_value->k(), kv_heads, dim, *past_key_value);  // [B, T, k, D], T = P + S
        values = heads_of(past_key_value->v(), kv_heads, dim, *past_key_value);
        if (!was_empty) {
            trace.view(Point::k_cache, keys.view());
            trace.view(Point::v_cache, values.view());
        }
    }
    trace.view(Point::k_repeat, keys.view(config.heads_per_kv_head()));    // [B, T, h, D]
    trace.view(Point::v_repeat, values.view(config.heads_per_kv_head()));  // [B, T, h, D]

    arma::fmat z = scaled_dot_product(queries, keys, values, input.attention_mask, trace);  // [B, S, h*D]
    trace.edit(Point::z, z);
    trace.view(Point::z, per_head(heads_of(z, heads, dim, input.batch)));  // [B, h, S, D]
    const arma::fmat merged = trace(Point::merged, std::move(z));          // [B, S, h*D]
    return trace(Point::o_proj, linear(o_proj, merged));                   // [B, S, H]
}

}  // namespace minimind
