// Stages that compute nothing: a row looked up, the same numbers seen with other axes, what a cache holds.
#include <fmt/format.h>

#include "stepper/stage_inputs.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace {

ViewSource as_heads(const WhyElement& element, Point projection) {
    const std::int64_t place = element.at(2) * element.config().head_dim + element.at(3);
    return {element.stage(projection),
            {element.at(0), element.at(1), place},
            {fmt::format("head {}, place {}: j*D + d = {}", element.at(2), element.at(3), place),
             fmt::format("头 {}，位置 {}：j*D + d = {}", element.at(2), element.at(3), place)}};
}

/// The new positions of a cache; those before come from an earlier call, whose stages this pass does not have.
ViewSource in_cache(const WhyElement& element, Point fresh) {
    const std::int64_t past = element.recording.past();
    const std::int64_t t = element.at(1);
    if (t < past) {
        return {element.site,
                element.index,
                {fmt::format("position {} was cached by an earlier call, after norm and RoPE", t),
                 fmt::format("位置 {} 由之前的调用写入缓存，norm 和 RoPE 当时已做完", t)}};
    }
    return {element.stage(fresh),
            {element.at(0), t - past, element.at(2), element.at(3)},
            {fmt::format("position {0} is new: {0} - {1} cached = {2} in this call", t, past, t - past),
             fmt::format("位置 {0} 是新的：{0} - {1}（已缓存）= {2}", t, past, t - past)}};
}

ViewSource repeated(const WhyElement& element, Point fresh, Point cache) {
    const std::int64_t group = element.config().heads_per_kv_head();
    const std::int64_t head = element.at(2) / group;
    const Point source = element.recording.past() > 0 ? cache : fresh;
    return {element.stage(source),
            {element.at(0), element.at(1), head, element.at(3)},
            {fmt::format("query head {} reads KV head {} / {} = {}, rounded down", element.at(2), element.at(2), group,
                         head),
             fmt::format("query 头 {} 读 KV 头 {} / {} = {}（向下取整）", element.at(2), element.at(2), group, head)}};
}

ViewSource same_place(const WhyElement& element, Site site, Words how) {
    return {site, element.index, std::move(how)};
}

}  // namespace

ViewSource source_of_view(const WhyElement& element) {
    switch (element.site.point) {
        case Point::q:
            return as_heads(element, Point::q_proj);
        case Point::k:
            return as_heads(element, Point::k_proj);
        case Point::v:
            return as_heads(element, Point::v_proj);
        case Point::k_cache:
            return in_cache(element, Point::k_rope);
        case Point::v_cache: {
            ViewSource source = in_cache(element, Point::v);
            if (source.site == element.site) {  // values have neither norm nor RoPE
                source.how = {fmt::format("position {} was cached by an earlier call", element.at(1)),
                              fmt::format("位置 {} 由之前的调用写入缓存", element.at(1))};
            }
            return source;
        }
        case Point::k_repeat:
            return repeated(element, Point::k_rope, Point::k_cache);
        case Point::v_repeat:
            return repeated(element, Point::v, Point::v_cache);
        case Point::merged: {
            const std::int64_t dim = element.config().head_dim;
            const std::int64_t j = element.at(2) / dim;
            const std::int64_t d = element.at(2) % dim;
            return {element.stage(Point::z),
                    {element.at(0), j, element.at(1), d},
                    {fmt::format("{} = j*D + d: head {}, place {}", element.at(2), j, d),
                     fmt::format("{} = j*D + d：头 {}，位置 {}", element.at(2), j, d)}};
        }
        case Point::self_attn:
            return same_place(element, element.stage(Point::o_proj), {"attention's output", "attention 的输出"});
        case Point::mlp:
            return same_place(element, element.stage(Point::down_proj), {"the MLP's output", "MLP 的输出"});
        case Point::shift_logits:
            return same_place(element, {Point::lm_head}, {"the last position is left out", "去掉最后一个位置"});
        default:
            return same_place(element, stream_before(element.site.layer),
                              {"the stream as the last block left it", "上一个 block 留下的残差流"});
    }
}

Why why_embedding(const WhyElement& element) {
    const TokenIds& ids = element.recording.input().ids;
    const std::int64_t position = element.recording.past() + element.at(1);
    const std::int64_t id = ids.at(element.at(0), position);
    const arma::fmat& table = element.recording.model().model().embed_tokens;
    const auto value =
        static_cast<double>(table.at(static_cast<arma::uword>(element.at(2)), static_cast<arma::uword>(id)));
    Why answer;
    answer.equation = fmt::format("{} = weight[id, {}],  id = input_ids[{}, {}]", element.name(), element.at(2),
                                  element.at(0), position);
    answer.steps = {
        {"id", static_cast<double>(id), {"a row of the table", "表的行号"}},
        {fmt::format("weight[{}, {}]", id, element.at(2)), value, {"looked up, not computed", "查表得到，不做计算"}}};
    return answer;
}

Why why_view(const WhyElement& element) {
    const ViewSource source = source_of_view(element);
    const double value = value_at(element.recording.view(source.site), source.index);
    const std::string name = element_name(source.site, source.index);
    Why answer;
    const bool is_cached = source.site == element.site;  // by an earlier call
    answer.equation = is_cached ? name : fmt::format("{} = {}", element.name(), name);
    answer.steps = {{name, value, source.how}};
    return answer;
}

}  // namespace minimind
