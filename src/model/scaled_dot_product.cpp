#include "model/scaled_dot_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/threads.hpp"
#include "model/vector_math.hpp"

namespace minimind {

namespace {

constexpr std::int64_t rows_per_block = 64;
constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

arma::uword to_uword(std::int64_t n) {
    return static_cast<arma::uword>(n);
}

/// Some query rows of one head of one batch row, and the keys that they see.
struct QueryBlock {
    std::int64_t b, head, first_row, rows, keys;
};

/// Scores of all heads [B, h, S, T], formed for display only if a hook wants them: one slice (T, S) a head.
struct Display {
    arma::fcube scores, masked_scores, attn_weights;
};

class CausalAttention {
  public:
    CausalAttention(const Heads& q, const Heads& k, const Heads& v, const AttentionMask& mask, const StageTrace& trace)
        : q_(q), k_(k), v_(v), mask_(mask), trace_(trace), past_(k.length - q.length) {
        edited_ = trace.edits(Point::scores) || trace.edits(Point::masked_scores) || trace.edits(Point::attn_weights);
        const auto slices = to_uword(q.batch * q.heads);
        const auto form = [&](Point point, arma::fcube& cube) {
            if (trace.wants(point)) cube.set_size(to_uword(k.length), to_uword(q.length), slices);
        };
        form(Point::scores, display_.scores);
        form(Point::masked_scores, display_.masked_scores);
        form(Point::attn_weights, display_.attn_weights);
    }

    arma::fmat run() {
        const std::int64_t batch = q_.batch;
        const std::int64_t block = edited_ ? q_.length : rows_per_block;  // a hook edits the scores of a whole head
        const std::int64_t blocks = (q_.length + block - 1) / block;
        z_.set_size(to_uword(q_.heads * q_.head_dim), to_uword(batch * q_.length));
        // Every score reads a key and every weight a value.
        const std::int64_t work = edited_ ? 0 : batch * q_.heads * q_.length * k_.length * q_.head_dim;
        parallel_for(batch * q_.heads * blocks, work, [&](std::int64_t task) {
            // The last rows see the most keys. The first rows of all heads come first: while a thread works through
            // half of the tasks, which are short, the other one starts on the long ones, and they share the rest.
            const std::int64_t head = task % (batch * q_.heads);
            const std::int64_t first = task / (batch * q_.heads) * block;
            const std::int64_t rows = std::min(block, q_.length - first);
            const std::int64_t keys = edited_ ? k_.length : past_ + first + rows;
            attend({head / q_.heads, head % q_.heads, first, rows, keys});
        });
        return std::move(z_);
    }

    const Display& display() const { return display_; }

  private:
    void attend(const QueryBlock& block) {
        const Columns q_rows = q_.head(block.b, block.head).range(to_uword(block.first_row), to_uword(block.rows));
        const Columns k_head = k_.head(block.b, kv_head(block)).first(to_uword(block.keys));
        const Columns v_head = v_.head(block.b, kv_head(block)).first(to_uword(block.keys));
        const float scale = 1.0F / std::sqrt(static_cast<float>(q_.head_dim));

        arma::fmat scores(k_head.cols, q_rows.cols, arma::fill::none);               // (T, S) of the block
        multiply_transposed(k_head, q_rows, scale, scores.memptr(), scores.n_rows);  // Point::scores
        if (edited_) trace_.edit(Point::scores, scores);
        show_scores(block, q_rows, scale, scores);

        apply_mask(block, scores);  // Point::masked_scores
        if (edited_) trace_.edit(Point::masked_scores, scores);
        show(block, display_.masked_scores, scores, minus_infinity);

        for (arma::uword row = 0; row < scores.n_cols; ++row) {
            softmax_row(scores.colptr(row), block.keys);  // Point::attn_weights
        }
        if (edited_) trace_.edit(Point::attn_weights, scores);
        show(block, display_.attn_weights, scores, 0.0F);

        float* z = z_.colptr(to_uword(block.b * q_.length + block.first_row)) + block.head * q_.head_dim;
        multiply(v_head, {scores.memptr(), scores.n_rows, scores.n_cols, scores.n_rows}, z, z_.n_rows);  // Point::z
    }

    std::int64_t kv_head(const QueryBlock& block) const { return block.head / (q_.heads / k_.heads); }

    /// Row i sees the cached keys and its own row's up to i. Padding gets -1e9 in float32, where it swallows the score:
    /// a row that sees only padding attends to it evenly, as in the reference.
    void apply_mask(const QueryBlock& block, arma::fmat& scores) const {
        for (std::int64_t row = 0; row < block.rows; ++row) {
            float* column = scores.colptr(to_uword(row));
            const std::int64_t visible = past_ + block.first_row + row + 1;
            std::fill(column + std::min(visible, block.keys), column + block.keys, minus_infinity);
            if (mask_.is_empty()) continue;
            const float* keep = mask_.colptr(to_uword(block.b));
            for (std::int64_t key = 0; key < block.keys; ++key) column[key] += (1.0F - keep[key]) * -1e9F;
        }
    }

    /// Copies a block into the display of a whole head; keys beyond the block get `hidden`.
    void show(const QueryBlock& block, arma::fcube& display, const arma::fmat& values, float hidden) const {
        if (display.is_empty()) return;
        const auto slice = to_uword(block.b * q_.heads + block.head);
        for (std::int64_t row = 0; row < block.rows; ++row) {
            float* column = display.slice_colptr(slice, to_uword(block.first_row + row));
            std::copy_n(values.colptr(to_uword(row)), block.keys, column);
            std::fill(column + block.keys, column + k_.length, hidden);
        }
    }

    /// The same for the scores before the mask, whose hidden part the fast path never computes.
    void show_scores(const QueryBlock& block, const Columns& q_rows, float scale, const arma::fmat& scores) {
        if (display_.scores.is_empty()) return;
        show(block, display_.scores, scores, 0.0F);
        const Columns hidden_keys =
            k_.head(block.b, kv_head(block)).range(to_uword(block.keys), to_uword(k_.length - block.keys));
        const auto slice = to_uword(block.b * q_.heads + block.head);
        float* out = display_.scores.slice_colptr(slice, to_uword(block.first_row)) + block.keys;
        multiply_transposed(hidden_keys, q_rows, scale, out, to_uword(k_.length));
    }

    const Heads& q_;
    const Heads& k_;
    const Heads& v_;
    const AttentionMask& mask_;
    const StageTrace& trace_;
    std::int64_t past_;  // P: keys before the first query
    bool edited_ = false;
    Display display_;
    arma::fmat z_;
};

}  // namespace

Columns Heads::head(std::int64_t b, std::int64_t j) const {
    return {data + b * batch_stride + j * head_dim, to_uword(head_dim), to_uword(length), to_uword(heads * head_dim)};
}

TensorView Heads::view(std::int64_t repeat) const {
    return {data,
            {{batch, batch_stride, 1},
             {length, heads * head_dim, 1},
             {heads * repeat, head_dim, repeat},
             {head_dim, 1, 1}}};
}

arma::fmat scaled_dot_product(const Heads& q, const Heads& k, const Heads& v, const AttentionMask& mask,
                              const StageTrace& trace) {
    CausalAttention attention(q, k, v, mask, trace);
    arma::fmat z = attention.run();
    const Display& display = attention.display();
    const Shape shape = {q.batch, q.heads, q.length, k.length};
    const auto show = [&](Point point, const arma::fcube& cube) {
        if (!cube.is_empty()) trace.view(point, TensorView(cube.memptr(), shape));
    };
    show(Point::scores, display.scores);
    show(Point::masked_scores, display.masked_scores);
    show(Point::attn_weights, display.attn_weights);
    return z;
}

}  // namespace minimind
