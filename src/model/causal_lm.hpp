// The language model: the decoder and its head, which turns hidden states into one score (logit) for every token of
// the vocabulary.
//
//   logits = lm_head(model(input_ids))              a tied head is the embedding table itself
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "model/loss.hpp"
#include "model/minimind_model.hpp"
#include "model/parameters.hpp"

namespace minimind {

/// Gives the values of a parameter as fmat(in, out), which is PyTorch's [out, in] in memory; a norm's as fmat(n, 1).
using ParameterSource = std::function<arma::fmat(const ParameterInfo&)>;

/// Everything that one call of the model can be given beside the token ids.
struct ForwardOptions {
    AttentionMask attention_mask;        // [B, P + S] as fmat(P + S, B); empty: all ones
    KvCache* past_key_values = nullptr;  // extended by the call
    std::int64_t logits_to_keep = 0;     // only the last n positions get logits; 0: all
    std::optional<TokenIds> labels;      // with labels the loss is computed
    bool training = false;               // adds the router's auxiliary loss
    Hook* hook = nullptr;
};

struct CausalLmOutput {
    arma::fmat logits;         // [B, S or logits_to_keep, V] as fmat(V, ...)
    std::optional<Loss> loss;  // if labels were given
    double aux_loss = 0.0;     // 0 unless training an MoE model; the trainer adds it to the loss
};

class CausalLm {
  public:
    /// Takes every parameter of parameter_list(config) from `source`, in that order. The config must be completed.
    CausalLm(ModelConfig config, const ParameterSource& source);
    /// All parameters allocated, their values not set.
    explicit CausalLm(ModelConfig config);

    const ModelConfig& config() const { return config_; }
    const MiniMindModel& model() const { return model_; }
    /// weight [V, H]; of a tied model the embedding table.
    const arma::fmat& lm_head() const { return config_.tie_word_embeddings ? model_.embed_tokens : lm_head_; }

    /// The parameters in the order of parameter_list(config()).
    std::vector<const arma::fmat*> parameters() const;
    std::vector<arma::fmat*> parameters();

    CausalLmOutput forward(const TokenIds& input_ids, const ForwardOptions& options = {}) const;

    /// Keeps memory alive that parameters are views of, such as a mapped file.
    void keep_alive(std::shared_ptr<const void> owner) { owner_ = std::move(owner); }

  private:
    ModelConfig config_;
    MiniMindModel model_;
    arma::fmat lm_head_;  // empty if tied
    std::shared_ptr<const void> owner_;
};

}  // namespace minimind
