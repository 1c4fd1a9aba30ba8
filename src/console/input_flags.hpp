// The flags that describe what goes into a model, and the token ids, labels and mask that they stand for.
//
//   InputFlags input;
//   input.batch_size = 1;                    // the command's own default
//   input.add_batch(args);
//   input.add_ids(args);
//   ...
//   input.read_text(model.checkpoint());     // load_model does it
//   const TokenInput tokens = input.tokens(config);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "console/arguments.hpp"
#include "console/text_flags.hpp"
#include "model/config.hpp"
#include "model/minimind_model.hpp"
#include "model/scaled_dot_product.hpp"

namespace minimind {

/// Checked against the config: ids in [0, V), labels there or -100, a mask of 0/1, as many positions as there are.
struct TokenInput {
    TokenIds ids;                    // [B, S], the cached ones (`past`) included
    std::optional<TokenIds> labels;  // [B, S]
    AttentionMask attention_mask;    // [B, S] as fmat(S, B); empty: all ones
    std::int64_t past = 0;           // the first ids of each row that go into the cache beforehand
    std::int64_t logits_to_keep = 0;
};

class InputFlags {
  public:
    InputFlags() = default;
    InputFlags(const InputFlags&) = delete;  // the flags are bound to this object
    InputFlags& operator=(const InputFlags&) = delete;

    /// What the command has without flags. Set these before the flags are added.
    std::int64_t batch_size = 2;
    std::int64_t seq_len = 6;

    void add_batch(Arguments& args);                              // --batch_size --seq_len
    void add_ids(Arguments& args);                                // --input_ids
    void add_text(Arguments& args, bool or_interactive = false);  // --text --chat --tokenizer_path
    void add_labels(Arguments& args);
    void add_attention_mask(Arguments& args);
    void add_past(Arguments& args);
    void add_logits_to_keep(Arguments& args);

    /// Turns --text or --chat into ids, with the tokenizer that goes with the checkpoint, if there is one. Call it before
    /// `batch` and `tokens`; a second call does nothing. Throws Error.
    void read_text(const CheckpointPath& checkpoint);

    /// The shape [B, S] that ids will have, known before they are made: for the memory estimate. Reads --input_ids.
    Batch batch() const;
    /// Everything, checked. The ids are those of --input_ids, --text or --chat, else (b * S + s) mod V. Throws Error,
    /// which names the flag, the position and the value.
    TokenInput tokens(const ModelConfig& config) const;

    /// The tokenizer that read the text; null if there was none.
    const std::shared_ptr<const Tokenizer>& tokenizer() const { return tokenizer_; }
    const TextFlags& text() const { return text_; }
    bool has_ids() const { return input_ids_.has_value(); }
    bool has_labels() const { return labels_.has_value(); }

  private:
    TokenIds ids(const ModelConfig& config) const;
    TokenIds given_ids() const;
    std::string where() const;
    void check_length(const Batch& batch, const ModelConfig& config) const;
    void check_batch(const Batch& batch) const;
    TokenIds labels(const ModelConfig& config, const Batch& batch) const;
    AttentionMask attention_mask(const Batch& batch) const;

    TextFlags text_;
    std::shared_ptr<const Tokenizer> tokenizer_;
    std::optional<TokenIds> text_ids_;
    std::optional<std::string> input_ids_;
    std::optional<std::string> labels_;
    std::optional<std::string> attention_mask_;
    bool is_batch_size_given_ = false;
    bool is_seq_len_given_ = false;
    std::int64_t past_ = 0;
    std::int64_t logits_to_keep_ = 0;
};

}  // namespace minimind
