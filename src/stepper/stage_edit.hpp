// Changing a stage of a pass while it runs, so that everything after it is computed from the changed values.
//
//   zero  layers.0.mlp            what is left without it
//   scale z[:,1] 2                head 1 twice as strong
//   set   resid_mid[0,3,5] 10     one number
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "stepper/slice.hpp"
#include "trace/hook.hpp"

namespace minimind {

struct StageEdit {
    enum class Action { zero, scale, set };

    Site site;
    Action action = Action::zero;
    double value = 0.0;  // the factor, or the new value
    Slice slice;         // of the stage as it is shown ([B, h, S, D] for z); empty: all of it

    std::string text() const;  // "scale model.layers.0.self_attn.z[:, 1] by 2"
};

/// Throws Error, at `where`, for a stage that no hook may change: a view, an index, a table, a label, a loss. It names
/// the stage to change in its place.
void check_editable(Site site, const std::string& where);

/// What the sizes of a pass are: B, S (new tokens), P (cached before them).
struct PassSizes {
    Batch batch;
    std::int64_t past = 0;
    std::int64_t logits_to_keep = 0;
};

/// The shape of a stage, known before the pass. Of an expert it is [B*S, H], the most that it can get.
Shape shape_before(Site site, const ModelConfig& config, const PassSizes& sizes);

/// Applies the edits of a list, in its order.
class StageEditor : public Hook {
  public:
    /// Throws Error for a stage that cannot be edited or a slice that does not fit it.
    StageEditor(std::vector<StageEdit> edits, const ModelConfig& config, const PassSizes& sizes);

    bool wants(Site) const override { return false; }
    void observe(Site, const TensorView&) override {}
    bool edits(Site site) const override;
    void edit(Site site, arma::fmat& values) override;

  private:
    void apply(const StageEdit& edit, arma::fmat& values, std::int64_t call);

    std::vector<StageEdit> edits_;
    const ModelConfig& config_;
    PassSizes sizes_;
    std::map<Point, std::map<int, std::int64_t>> calls_;  // of a point in a layer: attention's come one a head
};

}  // namespace minimind
