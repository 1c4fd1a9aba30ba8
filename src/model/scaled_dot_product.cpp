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

/// Some query rows of one batch row, in the query heads of one key/value head, and the keys that they see. Matrices of a
/// block have one column for each row and head: row i of the j-th head is column i * heads + j.
struct QueryBlock {
    std::int64_t b, kv_head, heads, first_row, rows, keys;

    std::int64_t first_head() const { return kv_head * heads; }
    arma::uword columns() const { return to_uword(rows * heads); }
    arma::uword column(std::int64_t row, std::int64_t j) const { return to_uword(row * heads + j); }
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
        const std::int64_t heads = q_.heads / k_.heads;  // query heads that share a key/value head
        const std::int64_t rows = edited_ ? q_.length : std::min(rows_per_block, q_.length);  // a hook edits all rows
        const std::int64_t blocks = (q_.length + rows - 1) / rows;
        z_.set_size(to_uword(q_.heads * q_.head_dim), to_uword(batch * q_.length));
        // Every score reads a key and every weight a value.
        const std::int64_t work = edited_ ? 0 : batch * q_.heads * q_.length * k_.length * q_.head_dim;
        parallel_for(batch * k_.heads * blocks, work, [&](std::int64_t task) {
            // The last rows see the most keys. The first rows of all heads come first: while a thread works through
            // half of the tasks, which are short, the other one starts on the long ones, and they share the rest.
            const std::int64_t kv_head = task % k_.heads;
            const std::int64_t b = task / k_.heads % batch;
            const std::int64_t first_row = task / (k_.heads * batch) * rows;
            const std::int64_t end_row = std::min(first_row + rows, q_.length);
            const std::int64_t keys = edited_ ? k_.length : past_ + end_row;
            attend({b, kv_head, heads, first_row, end_row - first_row, keys});
        });
        return std::move(z_);
    }

    const Display& display() const { return display_; }

  private:
    void attend(const QueryBlock& block) {
        const arma::fmat q = queries(block);                                            // [S*heads, D] of the block
        const Columns k = k_.head(block.b, block.kv_head).first(to_uword(block.keys));  // [T, D]
        const Columns v = v_.head(block.b, block.kv_head).first(to_uword(block.keys));  // [T, D]
        const float scale = 1.0F / std::sqrt(static_cast<float>(q_.head_dim));

        arma::fmat scores(k.cols, q.n_cols, arma::fill::none);                         // [S*heads, T]
        multiply_transposed(k, columns_of(q), scale, scores.memptr(), scores.n_rows);  // Point::scores
        edit(Point::scores, block, scores);
        show_scores(block, q, scale, scores);

        apply_mask(block, scores);  // Point::masked_scores
        edit(Point::masked_scores, block, scores);
        show(block, display_.masked_scores, scores, minus_infinity);

        for (arma::uword column = 0; column < scores.n_cols; ++column) {
            softmax_row(scores.colptr(column), block.keys);  // Point::attn_weights
        }
        edit(Point::attn_weights, block, scores);
        show(block, display_.attn_weights, scores, 0.0F);

        arma::fmat z(v.rows, q.n_cols, arma::fill::none);  // [S*heads, D]
        multiply(v, columns_of(scores), z.memptr(), z.n_rows);
        merge(block, z);  // Point::z
    }

    /// The block's queries side by side, so that one product serves all heads of a row.
    arma::fmat queries(const QueryBlock& block) const {
        arma::fmat q(to_uword(q_.head_dim), block.columns(), arma::fill::none);
        const Columns first = q_.head(block.b, block.first_head());  // the others lie behind it
        for (std::int64_t row = 0; row < block.rows; ++row) {
            const float* heads = first.data + to_uword(block.first_row + row) * first.stride;
            std::copy_n(heads, block.heads * q_.head_dim, q.colptr(block.column(row, 0)));
        }
        return q;
    }

    /// Puts the block's results where the merged heads of all tokens have them.
    void merge(const QueryBlock& block, const arma::fmat& z) {
        for (std::int64_t row = 0; row < block.rows; ++row) {
            float* token = z_.colptr(to_uword(block.b * q_.length + block.first_row + row));
            std::copy_n(z.colptr(block.column(row, 0)), block.heads * q_.head_dim,
                        token + block.first_head() * q_.head_dim);
        }
    }

    /// Hands each head's scores [S, T] to the hook, if it edits them.
    void edit(Point point, const QueryBlock& block, arma::fmat& scores) const {
        if (!edited_ || !trace_.edits(point)) return;
        for (std::int64_t j = 0; j < block.heads; ++j) {
            const auto columns = arma::regspace<arma::uvec>(to_uword(j), to_uword(block.heads), scores.n_cols - 1);
            arma::fmat of_head = scores.cols(columns);
            trace_.edit(point, of_head);
            scores.cols(columns) = of_head;
        }
    }

    /// Row i sees the cached keys and its own row's up to i. Padding gets -1e9 in float32, where it swallows the score:
    /// a row that sees only padding attends to it evenly, as in the reference.
    void apply_mask(const QueryBlock& block, arma::fmat& scores) const {
        for (std::int64_t row = 0; row < block.rows; ++row) {
            const std::int64_t visible = std::min(past_ + block.first_row + row + 1, block.keys);
            for (std::int64_t j = 0; j < block.heads; ++j) {
                float* column = scores.colptr(block.column(row, j));
                std::fill(column + visible, column + block.keys, minus_infinity);
                if (mask_.is_empty()) continue;
                const float* keep = mask_.colptr(to_uword(block.b));
                for (std::int64_t key = 0; key < block.keys; ++key) column[key] += (1.0F - keep[key]) * -1e9F;
            }
        }
    }

    /// Copies a block into the display of whole heads; keys beyond the block get `hidden`.
    void show(const QueryBlock& block, arma::fcube& display, const arma::fmat& values, float hidden) const {
        if (display.is_empty()) return;
        for (std::int64_t j = 0; j < block.heads; ++j) {
            for (std::int64_t row = 0; row < block.rows; ++row) {
                float* column = display.slice_colptr(slice(block, j), to_uword(block.first_row + row));
                std::copy_n(values.colptr(block.column(row, j)), block.keys, column);
                std::fill(column + block.keys, column + k_.length, hidden);
            }
        }
    }

    /// The same for the scores before the mask, whose hidden part the fast path never computes.
    void show_scores(const QueryBlock& block, const arma::fmat& q, float scale, const arma::fmat& scores) {
        if (display_.scores.is_empty()) return;
        show(block, display_.scores, scores, 0.0F);
        const Columns hidden_keys =
            k_.head(block.b, block.kv_head).range(to_uword(block.keys), to_uword(k_.length - block.keys));
        for (std::int64_t j = 0; j < block.heads; ++j) {
            const Columns rows = {q.colptr(block.column(0, j)), q.n_rows, to_uword(block.rows),
                                  q.n_rows * to_uword(block.heads)};
            float* out = display_.scores.slice_colptr(slice(block, j), to_uword(block.first_row)) + block.keys;
            multiply_transposed(hidden_keys, rows, scale, out, to_uword(k_.length));
        }
    }

    /// The slice of a display that shows the j-th head of a block.
    arma::uword slice(const QueryBlock& block, std::int64_t j) const {
        return to_uword(block.b * q_.heads + block.first_head() + j);
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
