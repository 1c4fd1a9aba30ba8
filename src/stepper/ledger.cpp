#include "stepper/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stepper/stage_inputs.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

double rms(const Vector& x) {
    return std::sqrt(dot(x, x) / static_cast<double>(x.size()));
}

Vector difference(Vector a, const Vector& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}

class Account {
  public:
    Account(const Recording& recording, std::int64_t b, std::int64_t s) : recording_(recording), b_(b), s_(s) {
        stream_.assign(static_cast<std::size_t>(recording.config().hidden_size), 0.0);
    }

    Ledger kept() {
        const int layers = static_cast<int>(recording_.config().num_hidden_layers);
        write({"embedding", "嵌入"}, {Point::embed_tokens});
        for (int layer = 0; layer < layers; ++layer) {
            settle({Point::resid_pre, layer});
            write({fmt::format("attention {}", layer), fmt::format("attention {}", layer)}, {Point::self_attn, layer});
            settle({Point::resid_mid, layer});
            write({fmt::format("mlp {}", layer), fmt::format("mlp {}", layer)}, {Point::mlp, layer});
            settle({Point::resid_post, layer});
        }
        const Vector recorded = at(stream_before(layers));
        ledger_.final_rms = rms(recorded);
        double magnitude = 0.0;
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            ledger_.largest_gap = std::max(ledger_.largest_gap, std::abs(recorded[i] - stream_[i]));
            double sum = 0.0;
            for (const LedgerEntry& entry : ledger_.entries) sum += std::abs(entry.write[i]);
            magnitude = std::max(magnitude, sum);
        }
        ledger_.allowed_gap = float_rounding(magnitude, ledger_.entries.size());
        return std::move(ledger_);
    }

  private:
    Vector at(Site site) const {
        const TensorView& view = recording_.view(site);
        Vector x;
        for (std::int64_t i = 0; i < view.axis(2).size; ++i) x.push_back(value_at(view, {b_, s_, i}));
        return x;
    }

    void write(Words name, Site site) { add(std::move(name), site, at(site)); }

    void add(Words name, Site site, Vector value) {
        LedgerEntry entry{std::move(name), site, std::move(value)};
        const double before = rms(stream_);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        entry.rms = rms(entry.write);
        entry.ratio = ledger_.entries.empty() ? nan : entry.rms / before;
        entry.cosine = ledger_.entries.empty() ? nan
                                               : dot(entry.write, stream_) /
                                                     std::sqrt(dot(entry.write, entry.write) * dot(stream_, stream_));
        for (std::size_t i = 0; i < stream_.size(); ++i) stream_[i] += entry.write[i];
        entry.stream_rms = rms(stream_);
        ledger_.entries.push_back(std::move(entry));
    }

    /// An edit of the stream is a write, too.
    void settle(Site site) {
        const bool is_edited =
            std::ranges::any_of(recording_.edits(), [&](const StageEdit& edit) { return edit.site == site; });
        if (!is_edited) return;
        const std::string name = fmt::format("{} {}", short_name(site), site.layer);
        add({"edit of " + name, "修改 " + name}, site, difference(at(site), stream_));
    }

    const Recording& recording_;
    std::int64_t b_;
    std::int64_t s_;
    Vector stream_;  // [H]: the sum of the writes so far
    Ledger ledger_;
};

/// Each write's share of a token's logit.
void share_out(Ledger& ledger, const Recording& recording, std::int64_t b, std::int64_t s, std::int64_t id) {
    const CausalLm& model = recording.model();
    const double mean_square = ledger.final_rms * ledger.final_rms;
    const double scale =
        1.0 / std::sqrt(mean_square + static_cast<double>(static_cast<float>(recording.config().rms_norm_eps)));
    Vector direction;  // [H]: W_head[id] * norm weight * scale
    for (arma::uword i = 0; i < model.lm_head().n_rows; ++i) {
        const auto head = static_cast<double>(model.lm_head().at(i, static_cast<arma::uword>(id)));
        direction.push_back(head * static_cast<double>(model.model().norm[i]) * scale);
    }
    for (LedgerEntry& entry : ledger.entries) {
        entry.share = dot(direction, entry.write);
        ledger.logit += entry.share;
    }
    const TensorView& logits = recording.view({Point::lm_head});
    const std::int64_t row = s - (recording.batch().seq - logits.axis(1).size);
    if (row >= 0) ledger.stored_logit = value_at(logits, {b, row, id});
}

}  // namespace

Ledger ledger_of(const Recording& recording, std::int64_t b, std::int64_t s, std::optional<std::int64_t> target) {
    Ledger ledger = Account(recording, b, s).kept();
    if (target) share_out(ledger, recording, b, s, *target);
    return ledger;
}

}  // namespace minimind
