#include "trace_attention_shapes/by_hand.hpp"

#include <cmath>
#include <limits>

#include "model/products.hpp"
#include "model/rms_norm.hpp"

namespace minimind {

namespace {

/// One head as a learner would write it: q [D, S], k and v [D, S] -> z [D, S] and the weights [S keys, S queries].
struct Head {
    arma::fmat weights;  // column s: how much query s takes of each key
    arma::fmat z;
};

Head attend(const arma::fmat& q, const arma::fmat& k, const arma::fmat& v) {
    const float scale = 1.0F / std::sqrt(static_cast<float>(q.n_rows));
    arma::fmat scores = k.t() * q;  // [S keys, S queries]
    scores *= scale;
    for (arma::uword query = 0; query < scores.n_cols; ++query) {
        for (arma::uword key = query + 1; key < scores.n_rows; ++key) {
            scores(key, query) = -std::numeric_limits<float>::infinity();  // a key that comes after the query
        }
    }
    Head head;
    head.weights = arma::exp(scores.each_row() - arma::max(scores, 0));
    head.weights.each_row() /= arma::sum(head.weights, 0);
    head.z = v * head.weights;
    return head;
}

}  // namespace

ManualAttention attend_by_hand(const Attention& attn, const arma::fmat& x, const ModelConfig& config, Batch batch) {
    const RotaryTables rope = rope_tables(config, 0, batch.seq);
    const arma::fmat q = apply_rope(rms_norm(linear(attn.q_proj, x), attn.q_norm, config.rms_norm_eps), rope, batch);
    const arma::fmat k = apply_rope(rms_norm(linear(attn.k_proj, x), attn.k_norm, config.rms_norm_eps), rope, batch);
    const arma::fmat v = linear(attn.v_proj, x);

    const auto dim = static_cast<arma::uword>(config.head_dim);
    const auto seq = static_cast<arma::uword>(batch.seq);
    const auto n_rep = static_cast<arma::uword>(config.heads_per_kv_head());
    arma::fmat merged(q.n_rows, q.n_cols, arma::fill::none);  // [B, S, h*D]
    ManualAttention result;
    for (arma::uword b = 0; b < static_cast<arma::uword>(batch.batch); ++b) {
        const arma::span tokens(b * seq, b * seq + seq - 1);
        for (arma::uword j = 0; j < static_cast<arma::uword>(config.num_attention_heads); ++j) {
            const arma::span q_rows(j * dim, j * dim + dim - 1);
            const arma::uword kv = j / n_rep;  // consecutive query heads share a key/value head
            const arma::span kv_rows(kv * dim, kv * dim + dim - 1);
            const Head head = attend(q(q_rows, tokens), k(kv_rows, tokens), v(kv_rows, tokens));
            merged(q_rows, tokens) = head.z;
            if (b == 0 && j == 0) result.first_weights = head.weights;
        }
    }
    result.output = linear(attn.o_proj, merged);
    return result;
}

}  // namespace minimind
