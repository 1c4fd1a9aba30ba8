// The decoder without its head: embedding, blocks, final norm. [B, S] token ids -> [B, S, H] hidden states.
#pragma once

#include <armadillo>
#include <vector>

#include "model/block.hpp"

namespace minimind {

/// Token ids or labels [B, S], row-major.
struct TokenIds {
    Batch batch;
    std::vector<std::int64_t> ids;

    std::int64_t at(std::int64_t b, std::int64_t s) const { return ids[static_cast<std::size_t>(b * batch.seq + s)]; }
    /// Positions [first, first + count) of every row.
    TokenIds positions(std::int64_t first, std::int64_t count) const;
    /// Row b alone.
    std::vector<std::int64_t> row(std::int64_t b) const;
};

struct MiniMindModel {
    arma::fmat embed_tokens;  // weight [V, H]: column i is the vector of token i
    std::vector<Block> layers;
    arma::fmat norm;  // weight [H]

    struct Output {
        arma::fmat hidden_states;  // [B, S, H], after the final norm
        double aux_loss = 0.0;     // summed over the layers; 0 unless training an MoE model
    };

    /// `past_key_values` (null: none) gives the positions before and is extended. The mask, [B, P + S] of 0/1 or empty,
    /// hides keys. Throws Error for an id outside the vocabulary and for more positions than the model has.
    Output forward(const TokenIds& input_ids, const ModelConfig& config, const AttentionMask& attention_mask,
                   KvCache* past_key_values, bool training, Hook* hook) const;
};

}  // namespace minimind
