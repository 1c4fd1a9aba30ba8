#include "compare_residual/streams.hpp"

#include <cmath>

#include "model/elementwise.hpp"
#include "model/rms_norm.hpp"
#include "trace/statistics.hpp"

namespace minimind {

namespace {

/// The two sublayers of a block, as functions of the stream.
class Sublayers {
  public:
    Sublayers(const Block& block, const BlockInput& input)
        : block_(block), input_(input), trace_(nullptr, input.batch) {}

    arma::fmat attention(const arma::fmat& x) const { return block_.self_attn.forward(x, input_, nullptr, trace_); }
    arma::fmat mlp(const arma::fmat& x) const {
        if (input_.config.use_moe) return block_.moe.forward(x, input_.config, false, trace_).hidden_states;
        return block_.mlp.forward(x, input_.config.hidden_act, trace_);
    }
    arma::fmat input_norm(const arma::fmat& x) const {
        return rms_norm(x, block_.input_layernorm, input_.config.rms_norm_eps);
    }
    arma::fmat second_norm(const arma::fmat& x) const {
        return rms_norm(x, block_.post_attention_layernorm, input_.config.rms_norm_eps);
    }

  private:
    const Block& block_;
    const BlockInput& input_;
    StageTrace trace_;
};

/// The values of a block that a step is made of, each [B, S, H].
struct BlockValues {
    arma::fmat attn_out;
    arma::fmat mid;
    arma::fmat mlp_out;
    arma::fmat out;
};

BlockValues pre_norm_block(const arma::fmat& x, const Sublayers& sublayers) {
    BlockValues block;
    block.attn_out = sublayers.attention(sublayers.input_norm(x));
    block.mid = elementwise_sum(x, block.attn_out);
    block.mlp_out = sublayers.mlp(sublayers.second_norm(block.mid));
    block.out = elementwise_sum(block.mid, block.mlp_out);
    return block;
}

BlockValues post_norm_block(const arma::fmat& x, const Sublayers& sublayers) {
    BlockValues block;
    block.attn_out = sublayers.attention(x);
    block.mid = sublayers.input_norm(elementwise_sum(x, block.attn_out));
    block.mlp_out = sublayers.mlp(block.mid);
    block.out = sublayers.second_norm(elementwise_sum(block.mid, block.mlp_out));
    return block;
}

double dot(const float* a, const float* b, arma::uword n) {
    double sum = 0.0;
    for (arma::uword i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

/// As the labs measure it: the mean over all tokens of each vector's RMS.
double mean_rms(const arma::fmat& x) {
    const Shape rows = {static_cast<std::int64_t>(x.n_cols), static_cast<std::int64_t>(x.n_rows)};
    return static_cast<double>(statistics_of(TensorView(x.memptr(), rows)).mean_rms);
}

/// The cosine between the vectors of each token, averaged; a token of which one is 0 counts as 0.
double mean_cosine(const arma::fmat& a, const arma::fmat& b) {
    double sum = 0.0;
    for (arma::uword token = 0; token < a.n_cols; ++token) {
        const float* u = a.colptr(token);
        const float* v = b.colptr(token);
        const double lengths = std::sqrt(dot(u, u, a.n_rows)) * std::sqrt(dot(v, v, a.n_rows));
        if (lengths != 0.0) sum += dot(u, v, a.n_rows) / lengths;
    }
    return sum / static_cast<double>(a.n_cols);
}

double ratio(double increment, double stream) {
    return stream == 0.0 ? 0.0 : increment / stream;
}

BlockStep step_of(const arma::fmat& x, const BlockValues& block, const arma::fmat& embedding) {
    BlockStep step;
    step.stream = mean_rms(x);
    step.attn = mean_rms(block.attn_out);
    step.mlp = mean_rms(block.mlp_out);
    step.out = mean_rms(block.out);
    step.attn_ratio = ratio(step.attn, step.stream);
    step.mlp_ratio = ratio(step.mlp, mean_rms(block.mid));
    step.attn_cosine = mean_cosine(block.attn_out, x);
    step.mlp_cosine = mean_cosine(block.mlp_out, block.mid);
    step.embedding_cosine = mean_cosine(block.out, embedding);
    return step;
}

using BlockFunction = BlockValues (*)(const arma::fmat& x, const Sublayers& sublayers);

ResidualStream run_through(const CausalLm& model, const TokenIds& ids, const AttentionMask& mask,
                           BlockFunction run_block) {
    const ModelConfig& config = model.config();
    const RotaryTables rope = rope_tables(config, 0, ids.batch.seq);
    const BlockInput input{config, ids.batch, rope, mask};
    arma::fmat embedding(static_cast<arma::uword>(config.hidden_size), ids.ids.size());  // [B, S, H]
    for (arma::uword token = 0; token < embedding.n_cols; ++token) {
        embedding.col(token) = model.model().embed_tokens.col(static_cast<arma::uword>(ids.ids[token]));
    }

    ResidualStream stream;
    arma::fmat x = embedding;
    for (const Block& layer : model.model().layers) {
        BlockValues block = run_block(x, Sublayers(layer, input));
        stream.steps.push_back(step_of(x, block, embedding));
        x = std::move(block.out);
    }
    stream.last = std::move(x);
    return stream;
}

}  // namespace

ResidualStream pre_norm_stream(const CausalLm& model, const TokenIds& ids, const AttentionMask& mask) {
    return run_through(model, ids, mask, pre_norm_block);
}

ResidualStream post_norm_stream(const CausalLm& model, const TokenIds& ids, const AttentionMask& mask) {
    return run_through(model, ids, mask, post_norm_block);
}

}  // namespace minimind
