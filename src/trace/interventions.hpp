// Hooks that do something with what they see: ablate a stage, stop at the first NaN, and several hooks as one.
#pragma once

#include <string>
#include <vector>

#include "trace/hook.hpp"

namespace minimind {

/// Sets stages to 0 before they are used.
class Ablation : public Hook {
  public:
    Ablation() = default;
    /// Adds stages. Throws Error, at `where`, if one of them cannot be edited.
    void add(const std::vector<Site>& sites, const std::string& where);

    bool wants(Site) const override { return false; }
    void observe(Site, const TensorView&) override {}
    bool edits(Site site) const override;
    void edit(Site, arma::fmat& values) override { values.zeros(); }

  private:
    std::vector<Site> sites_;
};

/// Throws Error (exit code 1) at the first stage that holds a NaN, and names it.
class NanWatch : public Hook {
  public:
    bool wants(Site) const override { return true; }
    void observe(Site site, const TensorView& tensor) override;
};

/// Passes everything on to several hooks, in order.
class HookList : public Hook {
  public:
    void add(Hook& hook) { hooks_.push_back(&hook); }

    bool wants(Site site) const override;
    void observe(Site site, const TensorView& tensor) override;
    bool edits(Site site) const override;
    void edit(Site site, arma::fmat& values) override;

  private:
    std::vector<Hook*> hooks_;
};

}  // namespace minimind
