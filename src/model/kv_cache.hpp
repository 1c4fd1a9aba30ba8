// The keys and values of the tokens that were computed before, so that the next token need not compute them again.
// It keeps the k key/value heads (before they are repeated for the query heads), after q_norm, k_norm and RoPE.
#pragma once

#include <armadillo>
#include <vector>

#include "core/shape.hpp"
#include "model/config.hpp"

namespace minimind {

/// What one layer has cached: [B, T, k, D] as one fmat(k*D, capacity) a batch row, of which the first T columns are in
/// use. The spare columns let a token be appended without moving the others.
class LayerCache {
  public:
    /// k, v [B, S, k*D] are put behind what is there. Precondition: B is that of the rows in the cache.
    void append(const arma::fmat& k, const arma::fmat& v, Batch batch);

    std::int64_t length() const { return length_; }
    std::int64_t batch() const { return static_cast<std::int64_t>(k_.n_slices); }
    std::int64_t capacity() const { return static_cast<std::int64_t>(k_.n_cols); }
    const arma::fcube& k() const { return k_; }
    const arma::fcube& v() const { return v_; }

  private:
    arma::fcube k_;  // (k*D, capacity, B)
    arma::fcube v_;
    std::int64_t length_ = 0;
};

class KvCache {
  public:
    explicit KvCache(const ModelConfig& config) : layers_(static_cast<std::size_t>(config.num_hidden_layers)) {}

    /// P: how many positions are cached.
    std::int64_t length() const { return layers_.empty() ? 0 : layers_.front().length(); }
    std::int64_t layers() const { return std::ssize(layers_); }
    LayerCache& layer(int i) { return layers_[static_cast<std::size_t>(i)]; }
    const LayerCache& layer(int i) const { return layers_[static_cast<std::size_t>(i)]; }

  private:
    std::vector<LayerCache> layers_;
};

}  // namespace minimind
