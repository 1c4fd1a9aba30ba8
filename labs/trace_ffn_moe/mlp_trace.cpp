#include "trace_ffn_moe/mlp_trace.hpp"

#include <algorithm>

namespace minimind {

MlpTrace trace_mlp(const CausalLm& model, const TokenInput& input, int layer, const std::vector<Point>& points) {
    Recorder recorder([&](Site site) {
        return site.layer == layer && std::find(points.begin(), points.end(), site.point) != points.end();
    });
    ForwardOptions options;
    options.attention_mask = input.attention_mask;
    options.training = true;
    options.hook = &recorder;
    const double aux_loss = model.forward(input.ids, options).aux_loss;
    return {recorder.take_records(), aux_loss};
}

arma::fmat values_of(const Record& record) {
    const auto rows = static_cast<arma::uword>(record.shape.back());
    return {record.f32.data(), rows, record.f32.size() / rows};
}

}  // namespace minimind
