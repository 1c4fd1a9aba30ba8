// `predict`: questions whose right answers are what the pass then shows, known mistakes, and nobody held up.
#include "stepper/predict.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "lessons/answers.hpp"
#include "stepper/line_reader.hpp"
#include "stepper/touch.hpp"
#include "stepper/why_parts.hpp"
#include "tiny_session.hpp"

using namespace minimind;

namespace {

/// What a session prints that reads these lines.
std::string played(TinySession& tiny, const std::string& lines) {
    tiny.out.str("");
    std::istringstream in(lines);
    StreamReader reader(in, tiny.out, false);
    tiny.session.read_from(reader);
    return tiny.out.str();
}

const Item* item_called(const std::vector<Item>& items, const std::string& id) {
    const auto found = std::ranges::find(items, id, &Item::id);
    return found == items.end() ? nullptr : &*found;
}

std::vector<Item> all_questions(const Recording& recording) {
    std::vector<Item> all;
    for (const Stage& stage : recording.stages()) {
        for (Item& item : questions_before(recording, stage.site())) {
            if (item_called(all, item.id) == nullptr) all.push_back(std::move(item));
        }
    }
    return all;
}

double right_number(const Recording& recording, const std::string& id) {
    const std::vector<Item> items = all_questions(recording);
    const Item* item = item_called(items, id);
    REQUIRE_MESSAGE(item != nullptr, id);
    return item->right.number;
}

Shape shape_of(const Recording& recording, Site site) {
    return recording.stage(recording.find(site)).record.shape;
}

}  // namespace

TEST_CASE("predict: right answers are what the pass has") {
    for (const PassOptions& options : {PassOptions{false, 0, true, false}, PassOptions{true, 3, false, false}}) {
        TinySession tiny(options);
        const Recording& recording = *tiny.state().recording;
        const std::vector<Item> items = all_questions(recording);
        for (const Point point : {Point::q, Point::scores, Point::k_cache}) {
            const Item* item = item_called(items, short_name({point, 0}));
            const bool is_asked = point != Point::k_cache || options.past > 0;
            REQUIRE((item != nullptr) == is_asked);
            if (is_asked) CHECK(item->right.shape == shape_of(recording, {point, 0}));
        }
        CHECK(right_number(recording, "k_proj") == static_cast<double>(shape_of(recording, {Point::k_proj, 0})[2]));
        const Shape q = shape_of(recording, {Point::q_norm, 0});
        CHECK(right_number(recording, "q_norm") == static_cast<double>(q[0] * q[1] * q[2]));

        // keys that are not -inf in the row that is asked about: S/2
        const TensorView& masked = recording.view({Point::masked_scores, 0});
        std::int64_t seen = 0;
        for (std::int64_t t = 0; t < masked.axis(3).size; ++t) {
            seen += std::isinf(value_at(masked, {0, 0, recording.batch().seq / 2, t})) ? 0 : 1;
        }
        CHECK(right_number(recording, "masked_scores") == static_cast<double>(seen));

        // z[0, h-1, s, 1] lies at that place of merged
        const auto place = static_cast<std::int64_t>(right_number(recording, "merged"));
        CHECK(value_at(recording.view({Point::z, 0}), {0, 3, 1, 1}) ==
              value_at(recording.view({Point::merged, 0}), {0, 1, place}));
    }
}

TEST_CASE("predict: counts of changed places are those that touch finds") {
    TinySession tiny;
    const auto& recording = tiny.state().recording;
    const std::int64_t p = recording->batch().seq / 3;
    const auto changed = [&](const Touch& touch, Point point) {
        const TouchedPasses passes = run_touched(recording, touch);
        const auto stages = touched_stages(*passes.before, *passes.after, 0);
        const auto stage = std::ranges::find(stages, Site{point, 0}, &TouchedStage::site);
        std::int64_t count = 0;
        for (const auto& row : stage->cells) count += std::ranges::count(row, Cell::changed);
        return static_cast<double>(count);
    };
    CHECK(right_number(*recording, "resid_post") == changed({0, p, std::nullopt, 30}, Point::resid_post));
    CHECK(right_number(*recording, "mlp") == changed({0, p, Site{Point::post_attention_layernorm, 0}, 0}, Point::mlp));
    TinySession moe(PassOptions{true, 0, false, false});
    double rows = 0.0;
    for (const Stage& stage : moe.state().recording->stages()) {
        const bool is_here = stage.site().point == Point::expert && stage.site().layer == 0;
        if (is_here) rows += static_cast<double>(stage.record.shape[0]);
    }
    CHECK(right_number(*moe.state().recording, "experts") == rows);
}

TEST_CASE("predict: every question can be answered, in full-width characters, too, and tells its mistakes apart") {
    for (const PassOptions& options : {PassOptions{false, 0, false, false}, PassOptions{true, 0, false, false},
                                       PassOptions{false, 3, false, false}}) {
        TinySession tiny(options);
        const Recording& recording = *tiny.state().recording;
        for (const Item& item : all_questions(recording)) {
            CAPTURE(item.id);
            const Sizes sizes = sizes_of_pass(recording);
            CHECK(judge(item, answer_text(item.right), sizes).verdict == Verdict::right);
            CHECK(judge(item, "", sizes).verdict == Verdict::blank);
            CHECK_FALSE(item.question.zh.empty());
            CHECK_FALSE(item.derivation.zh.empty());
            std::size_t named = 0;
            for (std::size_t i = 0; i < item.mistakes.size(); ++i) {
                const Judgement judgement = judge(item, answer_text(item.mistakes[i].answer), sizes);
                named += judgement.verdict == Verdict::wrong && !judgement.message.empty() ? 1 : 0;
            }
            CHECK(named >= 1);
        }
    }
    TinySession cached(PassOptions{false, 3, false, false});
    const std::vector<Item> items = all_questions(*cached.state().recording);
    const Sizes sizes = sizes_of_pass(*cached.state().recording);
    CHECK(judge(*item_called(items, "scores"), "（B，h，S，P+S）", sizes).verdict == Verdict::right);
    CHECK(judge(*item_called(items, "k_cache"), "(2, T, 2, 6)", sizes).verdict == Verdict::right);
}

TEST_CASE("predict: the least value of an activation") {
    // silu has its minimum where 1 + exp(-x) (1 + x) = 0: x = -1.278465, and there silu(x) = x + 1
    TinySession tiny;
    CHECK(right_number(*tiny.state().recording, "act_fn") == doctest::Approx(-0.278465).epsilon(1e-6));
}

TEST_CASE("predict: a dialogue names the mistake, keeps score and never traps") {
    TinySession tiny;
    std::string text = played(tiny, "predict\ngoto k_proj\n24\n12\n");
    CHECK(contains(text, "that is q_proj, h·D"));
    CHECK(contains(text, "0 of 1 right at the first try, 1 later"));
    CHECK(tiny.here() == "model.layers.0.self_attn.k_proj");

    text = played(tiny, "goto scores\nhint\nhint\nhint\nhint\nnonsense\n\nprint scores[0,0,0,0]\n");
    CHECK(contains(text, "that was the last hint"));
    CHECK(contains(text, "(2, 4, 5, 5)"));  // skipped: the answer is told
    CHECK(contains(text, "scores[0"));      // and the session goes on

    text = played(tiny, "goto attn_weights\nshow\npredict\n");
    CHECK(contains(text, "1 shown"));
    text = played(tiny, "goto merged\noff\nstep\n");
    CHECK(contains(text, "no more questions"));
    CHECK_FALSE(tiny.state().predict_mode);
    CHECK_FALSE(contains(played(tiny, "goto resid_post\n"), "predict>"));
}

TEST_CASE("predict: the end of the input ends a question, and a question is asked once") {
    TinySession tiny;
    CHECK(contains(played(tiny, "predict on\ngoto q\n"), "before self_attn.q"));
    CHECK(tiny.here() == "model.layers.0.self_attn.q");
    CHECK(contains(played(tiny, "goto layers.1.self_attn.q\nno\n"), "does the view"));  // the second question
    CHECK_FALSE(contains(played(tiny, "goto layers.2.self_attn.q\n"), "predict>"));
    CHECK(contains(played(tiny, "predict maybe\n"), "predict on"));
}
