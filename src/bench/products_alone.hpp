// The floor under a forward pass: its matrix products alone, with the same weights, sizes and BLAS, and nothing between
// them. No forward pass that computes all of them can be faster; ours may be, since it skips what the causal mask hides
// while the floor counts attention's full square.
#pragma once

#include <armadillo>
#include <cstdint>
#include <variant>
#include <vector>

#include "model/causal_lm.hpp"

namespace minimind {

/// What is computed: B rows of `batch.seq` new tokens on `past` cached ones.
struct PassSize {
    Batch batch;
    std::int64_t past = 0;
};

class ProductsAlone {
  public:
    /// For an MoE model, `tokens_of_experts[layer][e]` says how many tokens each expert gets. The model must live as
    /// long as this.
    ProductsAlone(const CausalLm& model, const PassSize& work,
                  const std::vector<std::vector<std::int64_t>>& tokens_of_experts = {});

    /// Of one block, and of its attention. The block must live as long as the result.
    static ProductsAlone of_block(const Block& block, const ModelConfig& config, const PassSize& work);
    static ProductsAlone of_attention(const Attention& attention, const ModelConfig& config, const PassSize& work);

    /// Computes them all, in the order of the forward pass.
    void run();

    /// Multiplications and additions of one run, in units of 10^9.
    double gflop() const { return gflop_; }

  private:
    /// y = W x for so many tokens.
    struct Linear {
        const arma::fmat* weight;
        arma::uword tokens;
    };
    /// q k^T and weights v of every head, for S queries and T keys.
    struct Heads {
        std::int64_t count;  // batch rows * query heads
        arma::uword head_dim, queries, keys;
        std::int64_t kv_heads;  // batch rows * key/value heads: how many different keys and values there are
        std::size_t cache_at;   // where this layer's keys and values begin in `cache_`
    };
    ProductsAlone() = default;
    void add(const arma::fmat& weight, std::int64_t tokens);
    void add_attention(const Attention& attention, const ModelConfig& config, const PassSize& work);
    void add_mlp(const Block& block, const ModelConfig& config, std::int64_t tokens,
                 const std::vector<std::int64_t>& tokens_of_experts);
    void allocate();
    void compute(const Linear& linear);
    void compute(const Heads& heads);
    /// The longest input and output of one.
    static arma::uword longest(const Linear& linear);
    static arma::uword longest(const Heads& heads);

    std::vector<std::variant<Linear, Heads>> steps_;
    std::size_t cache_size_ = 0;
    double gflop_ = 0.0;
    arma::fvec input_, output_;  // large enough for every product
    arma::fvec cache_;           // keys and values of every layer
};

/// Reads so many floats once, with all threads: the floor that memory sets. Returns a checksum, so that the compiler
/// leaves nothing out. Precondition: `values` is aligned as matrices are, to 8 bytes.
std::uint64_t read_floats(const float* values, std::int64_t count);
/// The same for every weight of a model.
std::uint64_t read_weights(const CausalLm& model);

}  // namespace minimind
