#include "model/block.hpp"

#include "model/elementwise.hpp"
#include "model/rms_norm.hpp"

namespace minimind {

Block::Output Block::forward(arma::fmat x, const BlockInput& input, LayerCache* past_key_value, bool training,
                             const StageTrace& trace) const {
    const ModelConfig& config = input.config;

    x = trace(Point::resid_pre, std::move(x));  // [B, S, H]
    const arma::fmat attn_in = trace(Point::input_layernorm, rms_norm(x, input_layernorm, config.rms_norm_eps));
    const arma::fmat attn_out =
        trace(Point::self_attn, self_attn.forward(attn_in, input, past_key_value, trace));  // [B, S, H]
    arma::fmat mid = trace(Point::resid_mid, elementwise_sum(std::move(x), attn_out));      // [B, S, H]

    const arma::fmat mlp_in =
        trace(Point::post_attention_layernorm, rms_norm(mid, post_attention_layernorm, config.rms_norm_eps));
    MlpOutput mlp_out = config.use_moe ? moe.forward(mlp_in, config, training, trace)
                                       : MlpOutput{mlp.forward(mlp_in, config.hidden_act, trace)};
    const arma::fmat increment = trace(Point::mlp, std::move(mlp_out.hidden_states));                 // [B, S, H]
    return {trace(Point::resid_post, elementwise_sum(std::move(mid), increment)), mlp_out.aux_loss};  // [B, S, H]
}

}  // namespace minimind
