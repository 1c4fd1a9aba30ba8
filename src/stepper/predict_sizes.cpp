#include "stepper/predict_sizes.hpp"

namespace minimind {

QuestionSizes::QuestionSizes(const Recording& recording)
    : sizes(sizes_of_pass(recording)),
      prose(sizes),
      has_mask(!recording.input().attention_mask.is_empty()),
      B(sizes.batch.batch),
      S(sizes.batch.seq),
      P(sizes.past),
      T(sizes.past + sizes.batch.seq),
      H(sizes.config.hidden_size),
      h(sizes.config.num_attention_heads),
      k(sizes.config.num_key_value_heads),
      D(sizes.config.head_dim),
      E(sizes.config.num_experts),
      K(sizes.config.num_experts_per_tok),
      p(sizes.batch.seq / 3) {
    prose.set("P", P);
    prose.set("T", T);
    prose.set("E", E);
    prose.set("K", K);
    prose.set("p", p);
}

Sizes sizes_of_pass(const Recording& recording) {
    Sizes sizes{recording.config(), recording.batch()};
    sizes.past = recording.past();
    return sizes;
}

std::vector<Item> questions_before(const Recording& recording, Site site) {
    const QuestionSizes n(recording);
    for (const auto questions : {projection_questions, attention_questions, mlp_questions}) {
        std::vector<Item> items = questions(n, site.point);
        if (!items.empty()) return items;
    }
    return {};
}

}  // namespace minimind
