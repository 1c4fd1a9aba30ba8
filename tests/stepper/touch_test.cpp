// `touch`: what a change reaches, checked against what the model is: per-position layers, causal attention, rows apart.
#include "stepper/touch.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.hpp"
#include "tiny_session.hpp"

using namespace minimind;

namespace {

/// A line that must fail, and what its answer must say.
/// ".##..": the cells of one row.
std::string strip(const std::vector<Cell>& cells) {
    std::string text;
    for (const Cell cell : cells) {
        text += cell == Cell::same ? '.' : cell == Cell::changed ? '#' : cell == Cell::rounding ? '~' : ' ';
    }
    return text;
}

std::string strip_of(const std::vector<TouchedStage>& stages, Site site, std::size_t row) {
    const auto found = std::ranges::find(stages, site, &TouchedStage::site);
    return found == stages.end() ? "missing" : strip(found->cells[row]);
}

std::vector<TouchedStage> touched(const CausalLm& model, const PassOptions& options, const Touch& touch, int layer) {
    const auto passes = run_touched(record_pass(model, small_input(options)), touch);
    return touched_stages(*passes.before, *passes.after, layer);
}

bool is_before_attention(Point point) {
    return point <= Point::v_repeat && point != Point::rope_cos && point != Point::rope_sin;
}

}  // namespace

TEST_CASE("touch: a token reaches one cell up to the keys, all queries in the scores, then the causal wedge") {
    const CausalLm model = small_model();
    const Touch touch{1, 2, std::nullopt, 30};  // row 1, position 2 of 5
    for (const TouchedStage& stage : touched(model, {}, touch, 0)) {
        CAPTURE(site_name(stage.site));
        if (!stage.has_rows) {
            CHECK(strip(stage.cells[0]) == ".....");  // the rotary tables
            continue;
        }
        CHECK(strip(stage.cells[0]) == ".....");  // the other row, bit for bit
        const std::string row = strip(stage.cells[1]);
        if (stage.site.point == Point::scores) {
            CHECK(row == "#####");
        } else if (stage.site.layer <= 0 && is_before_attention(stage.site.point)) {
            CHECK(row == "..#..");
        } else {
            CHECK(row == "..###");
        }
    }
}

TEST_CASE("touch: the cells of lm_head are the logits that two runs of the model differ in") {
    const CausalLm model = small_model();
    const Touch touch{0, 3, std::nullopt, 5};
    const TokenInput input = small_input({});
    TokenIds changed = input.ids;
    changed.ids[3] = 5;
    const arma::fmat before = model.forward(input.ids).logits;
    const arma::fmat after = model.forward(changed).logits;
    std::string expected;
    for (arma::uword column = 0; column < before.n_cols; ++column) {
        expected += arma::approx_equal(before.col(column), after.col(column), "absdiff", 0.0F) ? '.' : '#';
    }
    const auto stages = touched(model, {}, touch, 0);
    CHECK(strip_of(stages, {Point::lm_head}, 0) + strip_of(stages, {Point::lm_head}, 1) == expected);
    CHECK(expected == "...##.....");
}

TEST_CASE("touch: from a stage, the MLP keeps to its position and the next block's attention does not") {
    const CausalLm model = small_model();
    const auto stages = touched(model, {}, {0, 2, Site{Point::resid_mid, 0}, 0}, 0);
    for (const Point point : {Point::resid_mid, Point::post_attention_layernorm, Point::gate_proj, Point::act_fn,
                              Point::up_proj, Point::gated, Point::down_proj, Point::mlp, Point::resid_post}) {
        CAPTURE(info(point).name);
        CHECK(strip_of(stages, {point, 0}, 0) == "..#..");
        CHECK(strip_of(stages, {point, 0}, 1) == ".....");
    }
    CHECK(strip_of(stages, {Point::self_attn, 0}, 0) == ".....");
    CHECK(strip_of(stages, {Point::self_attn, 1}, 0) == "..###");
}

TEST_CASE("touch: attention's stages are compared on the path of edited scores") {
    const CausalLm model = small_model();
    for (const Point point : {Point::scores, Point::masked_scores, Point::attn_weights, Point::z, Point::merged}) {
        CAPTURE(info(point).name);
        const auto stages = touched(model, {}, {1, 1, Site{point, 1}, 0}, 1);
        CHECK(strip_of(stages, {point, 1}, 1) == ".#...");
        CHECK(strip_of(stages, {Point::resid_post, 1}, 1) == ".#...");
        CHECK(strip_of(stages, {Point::resid_post, 1}, 0) == ".....");
        CHECK(strip_of(stages, {Point::resid_post, 2}, 1) == ".####");
    }
}

TEST_CASE("touch: a cached token reaches the cache, and the new positions through attention") {
    const CausalLm model = small_model();
    const auto stages = touched(model, {false, 3, true, false}, {0, 1, std::nullopt, 20}, 0);
    CHECK(strip_of(stages, {Point::embed_tokens}, 0) == "   ..");
    CHECK(strip_of(stages, {Point::k_rope, 0}, 0) == "   ..");
    CHECK(strip_of(stages, {Point::k_cache, 0}, 0) == ".#...");
    CHECK(strip_of(stages, {Point::v_repeat, 0}, 0) == ".#...");
    CHECK(strip_of(stages, {Point::z, 0}, 0) == "   ##");
    CHECK(strip_of(stages, {Point::lm_head}, 0) == "   ##");
    CHECK(strip_of(stages, {Point::per_token_loss}, 0) == "   # ");  // the last position has no label
    CHECK(strip_of(stages, {Point::loss}, 0) == "#");
    CHECK(strip_of(stages, {Point::lm_head}, 1) == "   ..");
}

TEST_CASE("touch: with experts no other row changes by more than rounding") {
    const CausalLm model = small_model(true);
    for (std::int64_t position = 0; position < 5; ++position) {
        for (const TouchedStage& stage : touched(model, {true, 0, false, false}, {0, position, std::nullopt, 40}, 1)) {
            CAPTURE(site_name(stage.site));
            if (stage.has_rows) CHECK(strip(stage.cells[1]).find('#') == std::string::npos);
        }
    }
}

TEST_CASE("touch: the same token changes nothing") {
    const CausalLm model = small_model();
    for (const TouchedStage& stage : touched(model, {}, {0, 0, std::nullopt, 7}, 0)) {
        for (const auto& row : stage.cells) CHECK(strip(row).find('#') == std::string::npos);
    }
}

TEST_CASE("touch: the command, its sentences and its mistakes") {
    TinySession tiny;
    const std::string picture = tiny.run("touch 1,2");
    CHECK(contains(picture, "7 -> 8") == false);  // row 1, position 2 holds 12
    CHECK(contains(picture, "12 -> 13"));
    CHECK(contains(picture, "  self_attn.scores                .....  #####"));
    CHECK(contains(picture, "  self_attn.masked_scores         .....  ..###"));
    CHECK(contains(picture, "the other rows stay as they are, bit for bit"));
    CHECK(contains(tiny.run("touch resid_mid 3"), "stages before are unchanged"));
    for (const WrongLine& mistake : std::vector<WrongLine>{{"touch", "touch needs a position"},
                                                           {"touch 5", "positions are 0 to 4"},
                                                           {"touch 2,0", "rows 0 to 1"},
                                                           {"touch 1 50", "use an id from 0 to 49"},
                                                           {"touch 1 hello", "without a tokenizer"},
                                                           {"touch q 1", "change q_proj"},
                                                           {"touch resid_mod 1", "did you mean"},
                                                           {"touch 99999999999999999999", "-->"}}) {
        CHECK(contains(tiny.run(mistake.line), mistake.answer));
        CHECK_FALSE(tiny.worked);
    }
    TinySession cached(PassOptions{true, 3, false, false});
    CHECK(contains(cached.run("touch resid_mid 1"), "come from the cache"));
    cached.run("touch 1");
    CHECK(cached.worked);
}

TEST_CASE("touch: many rows and positions fit a narrow terminal") {
    const CausalLm model = small_model();
    TokenInput input;
    input.ids.batch = {12, 60};
    for (std::int64_t i = 0; i < 720; ++i) input.ids.ids.push_back(i % 50);
    const auto recording = record_pass(model, input);
    std::ostringstream out;
    Session session(SessionState{model, recording, recording}, out);
    session.run_line("touch 11,59");
    CHECK(contains(out.str(), "other rows"));
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}
