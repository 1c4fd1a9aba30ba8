#include "stepper/stage_lessons.hpp"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "core/error.hpp"
#include "lessons/lesson.hpp"

namespace minimind {

namespace {

/// What stands under each ### heading, with the heading.
std::vector<std::string> parts_of(const std::string& markdown) {
    std::vector<std::string> parts;
    std::istringstream lines(markdown);
    bool in_code = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("```")) in_code = !in_code;
        if (!in_code && line.starts_with("### ")) parts.emplace_back();
        if (!parts.empty()) parts.back() += line + "\n";
    }
    return parts;
}

std::vector<std::string> principle_of(int lesson, Language language) {
    return parts_of(section_of(read_lesson(lesson, language), "principle").markdown);
}

}  // namespace

LessonPlace lesson_of(Point point, bool use_moe) {
    switch (point) {
        case Point::embed_tokens:
            return {9, "1. The embedding"};
        case Point::resid_pre:
            return {9, "2. The stream keeps its shape"};
        case Point::input_layernorm:
            return {9, "3. RMSNorm rescales"};
        case Point::self_attn:
        case Point::resid_mid:
            return {9, "4. Sublayers add"};
        case Point::shift_logits:
        case Point::shift_labels:
            return {10, "The shift"};
        case Point::lm_head:
            return {10, "Logits are scores"};
        case Point::per_token_loss:
            return {10, "Cross entropy of one position"};
        case Point::loss:
            return {10, "The mean"};
        case Point::q_proj:
        case Point::k_proj:
        case Point::v_proj:
            return {11, "Three projections"};
        case Point::q:
        case Point::k:
        case Point::v:
            return {11, "Heads are a view"};
        case Point::k_repeat:
        case Point::v_repeat:
            return {11, "GQA"};
        case Point::q_norm:
        case Point::k_norm:
            return {11, "QK-norm"};
        case Point::scores:
            return {11, "Scores, and why"};
        case Point::masked_scores:
            return {11, "The causal mask"};
        case Point::attn_weights:
        case Point::z:
        case Point::merged:
        case Point::o_proj:
            return {11, "Softmax, sum, merge"};
        case Point::q_rope:
        case Point::k_rope:
            return {12, "A head is D/2 hands"};
        case Point::rope_cos:
        case Point::rope_sin:
            return {12, "The tables"};
        case Point::k_cache:
        case Point::v_cache:
            return {12, "The cache"};
        case Point::down_proj:
            return {13, "Three matrices"};
        case Point::router_logits:
        case Point::router_probs:
        case Point::topk_idx:
        case Point::topk_weight:
            return {13, "The router"};
        case Point::expert:
            return {13, "Dispatch"};
        case Point::mlp:
            return use_moe ? LessonPlace{13, "Dispatch"} : LessonPlace{13, "One token at a time"};
        case Point::gate_proj:
        case Point::up_proj:
        case Point::gated:
            return {22, "Two branches"};
        case Point::act_fn:
            return {22, "SiLU"};
        case Point::post_attention_layernorm:
            return {21, "Where the norm stands"};
        case Point::resid_post:
            return {21, "How a sum grows"};
        case Point::norm:
            return {21, "Why there is a final norm"};
    }
    return {};
}

std::string lesson_part(const LessonPlace& place, Language language) {
    const std::vector<std::string> english = principle_of(place.lesson, Language::en);
    const std::vector<std::string> wanted = principle_of(place.lesson, language);
    for (std::size_t i = 0; i < english.size() && i < wanted.size(); ++i) {
        if (english[i].starts_with("### " + std::string(place.heading))) return wanted[i];
    }
    throw Error(fmt::format("lesson {} has no part '{}'", place.lesson, place.heading));
}

SourcePlace function_of(Point point, bool use_moe) {
    constexpr std::string_view products = "src/model/products.cpp";
    constexpr std::string_view attention = "src/model/scaled_dot_product.cpp";
    constexpr std::string_view vectors = "src/model/vector_math.cpp";
    constexpr std::string_view experts = "src/model/moe_feed_forward.cpp";
    constexpr std::string_view loss = "src/model/loss.cpp";
    switch (point) {
        case Point::embed_tokens:
            return {"src/model/minimind_model.cpp", "embed"};
        case Point::rope_cos:
        case Point::rope_sin:
            return {"src/model/rope.cpp", "rope_tables"};
        case Point::input_layernorm:
        case Point::post_attention_layernorm:
        case Point::q_norm:
        case Point::k_norm:
        case Point::norm:
            return {vectors, "rms_norm_row"};
        case Point::q_proj:
        case Point::k_proj:
        case Point::v_proj:
        case Point::o_proj:
        case Point::gate_proj:
        case Point::up_proj:
        case Point::down_proj:
        case Point::router_logits:
        case Point::lm_head:
            return {products, "linear"};
        case Point::q_rope:
        case Point::k_rope:
            return {vectors, "rotate_row"};
        case Point::k_cache:
        case Point::v_cache:
            return {"src/model/kv_cache.cpp", "LayerCache::append"};
        case Point::k_repeat:
        case Point::v_repeat:
            return {attention, "Heads::view"};
        case Point::scores:
            return {products, "multiply_transposed"};
        case Point::masked_scores:
            return {attention, "apply_mask"};
        case Point::attn_weights:
        case Point::router_probs:
            return {vectors, "softmax_row"};
        case Point::z:
            return {products, "multiply"};
        case Point::q:
        case Point::k:
        case Point::v:
            return {"src/model/attention.cpp", "heads_of"};
        case Point::merged:
            return {"src/model/attention.cpp", "per_head"};
        case Point::self_attn:
            return {"src/model/attention.cpp", "Attention::forward"};
        case Point::resid_pre:
            return {"src/model/block.cpp", "Block::forward"};
        case Point::resid_mid:
        case Point::resid_post:
            return {vectors, "add_row"};
        case Point::act_fn:
            return {vectors, "silu_row"};
        case Point::gated:
            return {vectors, "multiply_row"};
        case Point::topk_idx:
            return {experts, "largest"};
        case Point::topk_weight:
            return {experts, "MoeFeedForward::route"};
        case Point::expert:
            return {"src/model/feed_forward.cpp", "FeedForward::forward"};
        case Point::mlp:
            return use_moe ? SourcePlace{experts, "MoeFeedForward::forward"}
                           : SourcePlace{"src/model/feed_forward.cpp", "FeedForward::forward"};
        case Point::shift_logits:
        case Point::shift_labels:
        case Point::loss:
            return {loss, "shifted_cross_entropy"};
        case Point::per_token_loss:
            return {loss, "cross_entropy"};
    }
    return {};
}

}  // namespace minimind
