#include "stepper/stage_inputs.hpp"

#include <sstream>

#include "report/trace_report.hpp"

namespace minimind {

namespace {

class Inputs {
  public:
    Inputs(const Recording& recording, Site site) : recording_(recording), site_(site) {}

    std::vector<StageInput> all() {
        const bool is_moe_sum = site_.point == Point::mlp && recording_.config().use_moe;
        std::istringstream names(is_moe_sum ? "experts topk_idx topk_weight" : std::string(info(site_.point).inputs));
        for (std::string name; names >> name;) add(name);
        return std::move(inputs_);
    }

  private:
    void add(const std::string& name) {
        const Batch batch = recording_.batch();
        const Shape cached = {batch.batch, recording_.past(), recording_.config().num_key_value_heads,
                              recording_.config().head_dim};
        if (name == "input_ids" || name == "labels") return add_other(name, {batch.batch, batch.seq}, {"B", "S"});
        if (name == "past_k" || name == "past_v") return add_other(name, cached, {"B", "P", "k", "D"});
        if (name == "stream") {
            return add_stage(
                stream_before(site_.layer < 0 ? static_cast<int>(recording_.config().num_hidden_layers) : site_.layer));
        }
        if (name == "keys") return add_stage(keys_of(recording_, site_.layer));
        if (name == "values") return add_stage(values_site(recording_, site_.layer));
        if (name == "experts") return add_experts();
        add_named(name);
    }

    void add_other(const std::string& name, Shape shape, std::vector<std::string> axes) {
        inputs_.push_back({name, std::nullopt, std::move(shape), std::move(axes)});
    }

    void add_stage(Site site) {
        const std::size_t at = recording_.find(site);
        if (at == Recording::npos) return;
        const std::string name = site_name(site);
        inputs_.push_back(
            {name.substr(name.rfind('.') + 1), site, recording_.stage(at).record.shape, axis_names(site.point)});
    }

    void add_experts() {
        for (int expert = 0; expert < static_cast<int>(recording_.config().num_experts); ++expert) {
            add_stage({Point::expert, site_.layer, expert});
            if (recording_.has({Point::expert, site_.layer, expert})) {
                inputs_.back().name = "experts." + inputs_.back().name;
            }
        }
    }

    /// A stage by the last part of its name, in the same layer or outside of all.
    void add_named(const std::string& name) {
        for (const PointInfo& point : point_table()) {
            const std::string_view full = point.name;
            if (full.substr(full.rfind('.') + 1) != name) continue;
            const bool in_layer = full.find("{i}") != std::string_view::npos;
            return add_stage({point.point, in_layer ? site_.layer : -1, -1});
        }
    }

    const Recording& recording_;
    Site site_;
    std::vector<StageInput> inputs_;
};

}  // namespace

std::vector<StageInput> inputs_of(const Recording& recording, Site site) {
    return Inputs(recording, site).all();
}

Site stream_before(int layer) {
    return layer == 0 ? Site{Point::embed_tokens} : Site{Point::resid_post, layer - 1};
}

Site keys_of(const Recording& recording, int layer) {
    return {recording.past() > 0 ? Point::k_cache : Point::k_rope, layer};
}

Site values_site(const Recording& recording, int layer) {
    return {recording.past() > 0 ? Point::v_cache : Point::v, layer};
}

}  // namespace minimind
