// ablate, scale, set, undo: the rest is computed from the changed values, and what moved is told.
#include <doctest/doctest.h>

#include <algorithm>

#include "stepper/rerun_effect.hpp"
#include "stepper/why_parts.hpp"
#include "tiny_session.hpp"

using namespace minimind;

namespace {

/// A line that must fail, and what its answer must say.
std::vector<float> values_of(const Recording& recording, Site site) {
    return recording.view(site).to_f32();
}

const StageChange& change_of(const std::vector<StageChange>& changes, Site site) {
    return *std::ranges::find(changes, site, &StageChange::site);
}

}  // namespace

TEST_CASE("ablate: without attention the block is its MLP") {
    TinySession tiny;
    tiny.run("goto layers.1.self_attn");
    const std::string effect = tiny.run("ablate self_attn");
    CHECK(tiny.worked);
    const Recording& recording = *tiny.state().recording;
    CHECK(values_of(recording, {Point::resid_mid, 1}) == values_of(recording, {Point::resid_pre, 1}));
    CHECK(values_of(recording, {Point::resid_post, 0}) == values_of(*tiny.state().original, {Point::resid_post, 0}));
    CHECK(contains(effect, "self_attn "));
    CHECK_FALSE(contains(effect, "self_attn.q_proj"));  // what comes before it has not moved
    CHECK(contains(effect, "next token of row 1"));
}

TEST_CASE("scale and set: one head, one number; undo goes back bit for bit") {
    TinySession tiny(PassOptions{false, 0, true, false});
    const auto before = tiny.state().recording;
    CHECK(contains(tiny.run("scale z[:,1] 2"), "loss  "));
    const auto scaled = tiny.state().recording;
    CHECK(value_at(scaled->view({Point::z, 0}), {1, 1, 3, 2}) ==
          2.0 * value_at(before->view({Point::z, 0}), {1, 1, 3, 2}));
    CHECK(value_at(scaled->view({Point::z, 0}), {1, 0, 3, 2}) == value_at(before->view({Point::z, 0}), {1, 0, 3, 2}));
    tiny.run("set resid_mid[0,3,5] -10");
    CHECK(value_at(tiny.state().recording->view({Point::resid_mid, 0}), {0, 3, 5}) == -10.0);
    const std::string edits = tiny.run("edits");
    CHECK(contains(edits, "scale model.layers.0.self_attn.z[:, 1] 2"));
    CHECK(contains(edits, "set model.layers.0.resid_mid[0, 3, 5] -10"));
    CHECK(contains(tiny.run("undo"), "taken back: set"));
    CHECK(values_of(*tiny.state().recording, {Point::lm_head}) == values_of(*scaled, {Point::lm_head}));
    tiny.run("undo all");
    CHECK(values_of(*tiny.state().recording, {Point::lm_head}) == values_of(*before, {Point::lm_head}));
    CHECK(contains(tiny.run("undo"), "there is nothing to undo"));
    CHECK_FALSE(tiny.worked);
}

TEST_CASE("edits that change nothing say so") {
    TinySession tiny;
    CHECK(contains(tiny.run("scale mlp 1"), "nothing changed"));
    CHECK(contains(tiny.run("edits"), "scale model.layers.0.mlp 1"));
}

TEST_CASE("changes are measured against the pass before") {
    TinySession tiny;
    const auto before = tiny.state().recording;
    tiny.run("scale mlp 3");
    const std::vector<StageChange> changes = changes_between(*before, *tiny.state().recording, 0);
    const Difference mlp = *change_of(changes, {Point::mlp, 0}).difference;
    CHECK(mlp.relative() == doctest::Approx(2.0).epsilon(1e-6));  // 3x - x = 2x
    CHECK(mlp.cosine == doctest::Approx(1.0).epsilon(1e-6));
    const Statistics& statistics = before->stage(before->find({Point::mlp, 0})).record.statistics;
    const double largest = std::max(std::abs(statistics.min), std::abs(statistics.max));
    CHECK(mlp.max_abs == doctest::Approx(2.0 * largest).epsilon(1e-6));
    CHECK_FALSE(change_of(changes, {Point::q_proj, 0}).is_changed());
    CHECK(change_of(changes, {Point::lm_head}).is_changed());
}

TEST_CASE("with experts: tokens that change their expert are told apart from numbers that change") {
    TinySession tiny(PassOptions{true, 0, false, false});
    const std::string effect = tiny.run("set post_attention_layernorm[0,2] 3");
    CHECK(tiny.worked);
    CHECK(contains(effect, "mlp.router_probs"));
    tiny.run("undo");
    tiny.run("ablate mlp.router_probs");  // all probabilities 0: the weights are 0 / (0 + 1e-20)
    CHECK(tiny.worked);
    CHECK(value_at(tiny.state().recording->view({Point::topk_weight, 0}), {3, 1}) == 0.0);
}

TEST_CASE("an edit in another layer makes that the one that is shown") {
    TinySession tiny({}, 0);  // only layer 0 is kept whole
    const std::string effect = tiny.run("ablate layers.2.mlp.gated");
    CHECK(tiny.worked);
    CHECK(contains(effect, "mlp.down_proj"));
    CHECK(tiny.state().recording->keeps({Point::gated, 2}));
}

TEST_CASE("what cannot be changed is refused with what can") {
    TinySession tiny(PassOptions{true, 2, true, false});
    for (const WrongLine& mistake : std::vector<WrongLine>{{"ablate q", "change q_proj"},
                                                           {"ablate k_repeat", "change k_rope"},
                                                           {"ablate v_cache", "change v_proj"},
                                                           {"scale mlp.topk_idx 2", "topk_weight"},
                                                           {"ablate loss.shift_logits", "lm_head"},
                                                           {"ablate model.rope.cos", "minimind hooks"},
                                                           {"ablate resid_mod", "did you mean resid_mid"},
                                                           {"ablate mlp.gated", "dense"},
                                                           {"scale z", "scale z[:,1] 2"},
                                                           {"scale z two", "-->"},
                                                           {"set resid_mid[0,9,0] 1", "index 9"},
                                                           {"set resid_mid[0,0,0,0] 1", "3 axes"},
                                                           {"set resid_mid[0 1", "needs a stage and a number"},
                                                           {"set resid_mid]0 1", "no stage"},
                                                           {"set resid_mid nan", "-->"},
                                                           {"scale z 1e300", "-->"},
                                                           {"undo twice", "nothing to undo"}}) {
        CAPTURE(mistake.line);
        CHECK(contains(tiny.run(mistake.line), mistake.answer));
        CHECK_FALSE(tiny.worked);
    }
    CHECK(tiny.state().recording == tiny.state().original);
}
