// A forward pass as a film: every stage in order of time, with its values. The stepper walks it in both directions, and
// nothing is computed again.
//
// A film of all layers takes several times the memory of the pass itself; so a recording keeps the values of all layers,
// or of one layer and of the residual stream in the others (embedding, resid_pre, self_attn, resid_mid, mlp, resid_post,
// and what stands outside the blocks). Shape and statistics are there for every stage. Stages that are another stage's
// bytes (q, k, v, k_repeat, self_attn, ...) are views of them and take no memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "console/input_flags.hpp"
#include "model/causal_lm.hpp"
#include "stepper/stage_edit.hpp"
#include "trace/recorder.hpp"
#include "trace/sites.hpp"

namespace minimind {

/// One stage of the recorded pass.
struct Stage {
    Record record;         // site, dtype, shape, statistics; values only where the stage owns some
    TensorView view;       // the values as they are shown: its own, or those of another stage; count 0 if not kept
    bool is_kept = false;  // are there values?

    Site site() const { return record.site; }
    std::string name() const { return site_name(record.site); }
};

inline constexpr int all_layers = -1;

class Recording {
  public:
    Recording(const CausalLm& model, TokenInput input, std::vector<StageEdit> edits, int layer);
    Recording(const Recording&) = delete;  // views point into it
    Recording& operator=(const Recording&) = delete;

    const CausalLm& model() const { return model_; }
    const ModelConfig& config() const { return model_.config(); }
    const TokenInput& input() const { return input_; }
    const std::vector<StageEdit>& edits() const { return edits_; }
    /// The layer whose stages are all kept, or all_layers.
    int layer() const { return layer_; }
    /// B rows of S tokens: those of this pass, without the cached ones.
    Batch batch() const { return sizes_.batch; }
    /// P: cached positions before them.
    std::int64_t past() const { return sizes_.past; }
    const PassSizes& sizes() const { return sizes_; }

    /// In order of time. An expert that no token chose is not among them.
    const std::vector<Stage>& stages() const { return stages_; }
    const Stage& stage(std::size_t i) const { return stages_[i]; }
    /// The place of a stage, or npos.
    std::size_t find(Site site) const;
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);
    bool has(Site site) const { return find(site) != npos; }
    bool keeps(Site site) const { return has(site) && stages_[find(site)].is_kept; }
    /// The values of a stage. Throws Error if the pass has no such stage or its values are not kept.
    const TensorView& view(Site site) const;

    /// Only with labels.
    const std::optional<Loss>& loss() const { return loss_; }
    /// Logits of the last position of each row [B, V], as the next token is chosen from: a view into lm_head.
    const TensorView& logits() const { return view({Point::lm_head}); }

    /// What the kept values take.
    double bytes() const;

  private:
    friend class RecordingHook;
    friend std::shared_ptr<const Recording> record_pass(const CausalLm&, const TokenInput&,
                                                        const std::vector<StageEdit>&, int);

    const CausalLm& model_;
    TokenInput input_;
    std::vector<StageEdit> edits_;
    int layer_;
    PassSizes sizes_;
    std::vector<Stage> stages_;
    std::optional<Loss> loss_;
};

/// Runs the model once. The edits are made to the tokens of the pass; the cache of `input.past` tokens is as it would be
/// without them. `layer`: the one to keep whole, or all_layers. Throws Error for edits that cannot be made, and, before
/// anything is computed, if the recording would not fit in memory. The model must outlive the recording.
std::shared_ptr<const Recording> record_pass(const CausalLm& model, const TokenInput& input,
                                             const std::vector<StageEdit>& edits = {}, int layer = all_layers);

/// What record_pass will take: the kept values, and what the pass itself needs beside them.
double estimated_bytes(const ModelConfig& config, const TokenInput& input, int layer);

/// all_layers if a recording of everything takes little (at most 1 GiB and a quarter of what is free), else `layer`.
int layers_to_keep(const ModelConfig& config, const TokenInput& input, int layer);

/// The kind of a pass, for sites_of.
PassKind pass_kind(const ModelConfig& config, const TokenInput& input);

}  // namespace minimind
