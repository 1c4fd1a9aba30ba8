#include "model/minimind_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "model/rms_norm.hpp"

namespace minimind {

namespace {

/// x[t] = embed_tokens[id(t)]: a row lookup, which is what one-hot(id) times the table would give.
arma::fmat embed(const arma::fmat& embed_tokens, const TokenIds& input_ids) {
    arma::fmat x(embed_tokens.n_rows, input_ids.ids.size(), arma::fill::none);  // [B, S, H]
    for (arma::uword token = 0; token < x.n_cols; ++token) {
        const std::int64_t id = input_ids.ids[token];
        if (id < 0 || id >= static_cast<std::int64_t>(embed_tokens.n_cols)) {
            throw Error(fmt::format("token id {} is not in the vocabulary", id))
                .at(fmt::format("position {} of row {}", static_cast<std::int64_t>(token) % input_ids.batch.seq,
                                static_cast<std::int64_t>(token) / input_ids.batch.seq))
                .help(fmt::format("use ids from 0 to {}", embed_tokens.n_cols - 1));
        }
        std::copy_n(embed_tokens.colptr(static_cast<arma::uword>(id)), x.n_rows, x.colptr(token));
    }
    return x;
}

void check_length(std::int64_t past, std::int64_t seq, const ModelConfig& config) {
    if (past + seq <= config.max_position_embeddings) return;
    throw Error(fmt::format("{} positions are more than the model has", past + seq))
        .note(fmt::format("{} cached and {} new tokens; max_position_embeddings is {}", past, seq,
                          config.max_position_embeddings))
        .help("use a shorter input or a larger max_position_embeddings");
}

}  // namespace

TokenIds TokenIds::positions(std::int64_t first, std::int64_t count) const {
    TokenIds part{{batch.batch, count}, {}};
    for (std::int64_t b = 0; b < batch.batch; ++b) {
        for (std::int64_t s = first; s < first + count; ++s) part.ids.push_back(at(b, s));
    }
    return part;
}

std::vector<std::int64_t> TokenIds::row(std::int64_t b) const {
    const auto first = ids.begin() + b * batch.seq;
    return {first, first + batch.seq};
}

MiniMindModel::Output MiniMindModel::forward(const TokenIds& input_ids, const ModelConfig& config,
                                             const AttentionMask& attention_mask, KvCache* past_key_values,
                                             bool training, Hook* hook) const {
    const StageTrace trace(hook, input_ids.batch);
    const std::int64_t start_pos = past_key_values == nullptr ? 0 : past_key_values->length();
    const std::int64_t seq = input_ids.batch.seq;
    check_length(start_pos, seq, config);

    arma::fmat hidden_states = trace(Point::embed_tokens, embed(embed_tokens, input_ids));  // [B, S, H]

    const RotaryTables rope = rope_tables(config, start_pos, seq);  // of the positions in use, for all layers
    trace.view(Point::rope_cos, TensorView(rope.cos.memptr(), Shape{seq, config.head_dim}));  // [S, D]
    trace.view(Point::rope_sin, TensorView(rope.sin.memptr(), Shape{seq, config.head_dim}));  // [S, D]

    const BlockInput input{config, input_ids.batch, rope, attention_mask};
    double aux_loss = 0.0;
    for (int i = 0; i < static_cast<int>(layers.size()); ++i) {
        LayerCache* past_key_value = past_key_values == nullptr ? nullptr : &past_key_values->layer(i);
        Block::Output block = layers[static_cast<std::size_t>(i)].forward(std::move(hidden_states), input,
                                                                          past_key_value, training, trace.in_layer(i));
        hidden_states = std::move(block.hidden_states);  // [B, S, H]
        aux_loss += block.aux_loss;
    }
    return {trace(Point::norm, rms_norm(hidden_states, norm, config.rms_norm_eps)), aux_loss};  // [B, S, H]
}

}  // namespace minimind
