// Moving through a recorded pass: every stage is reached, nothing is computed again, and names mean what they should.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "core/error.hpp"
#include "report/forward_pass.hpp"
#include "stepper/walk.hpp"
#include "tiny_session.hpp"

using namespace minimind;

namespace {

/// The number that `print STAGE[i, j, ...]` shows, which has all its digits.
float printed(TinySession& tiny, const Stage& stage) {
    std::string index;
    for (const std::int64_t size : stage.record.shape) index += (index.empty() ? "" : ",") + std::to_string(size - 1);
    const std::string text = tiny.run("print " + stage.name() + (index.empty() ? "" : "[" + index + "]"));
    const std::size_t line = text.find('\n') + 1;
    return std::strtof(text.c_str() + line, nullptr);
}

std::vector<Point> points_of(const PassOptions& options) {
    std::vector<Point> points;
    TinySession tiny(options);
    for (const Stage& stage : tiny.state().recording->stages()) points.push_back(stage.site().point);
    return points;
}

}  // namespace

TEST_CASE("step reaches every stage in each kind of run, and shows what was recorded") {
    for (const PassOptions& options : {PassOptions{false, 0, true, true}, PassOptions{true, 0, true, false},
                                       PassOptions{false, 2, true, false}, PassOptions{true, 4, false, true}}) {
        CAPTURE(options.use_moe);
        CAPTURE(options.past);
        TinySession tiny(options);
        Recorder recorder;
        forward_pass(tiny.model, small_input(options), {&recorder, nullptr});
        for (std::size_t i = 0; i < recorder.records().size(); ++i) {
            const Record& expected = recorder.records()[i];
            const Stage& stage = tiny.state().stage();
            CAPTURE(stage.name());
            CHECK(stage.site() == expected.site);
            if (element_count(expected.shape) > 0) {
                const std::vector<float> values = expected.view().to_f32();
                const float shown = printed(tiny, stage);
                CHECK((shown == values.back() || (shown != shown && values.back() != values.back())));
            }
            const bool is_last = i + 1 == recorder.records().size();
            tiny.run("step");
            CHECK(tiny.worked == !is_last);
        }
        CHECK(tiny.state().passes == 1);
    }
}

TEST_CASE("all points of the hook table are reached in some run") {
    std::set<Point> reached;
    for (const PassOptions& options : {PassOptions{false, 2, true, false}, PassOptions{true, 0, false, false}}) {
        for (const Point point : points_of(options)) reached.insert(point);
    }
    CHECK(reached.size() == static_cast<std::size_t>(point_count));
}

TEST_CASE("back to the start and forward again computes nothing") {
    TinySession tiny;
    const auto recording = tiny.state().recording;
    tiny.run("step 1000");
    CHECK(tiny.here() == "lm_head");
    tiny.run("back 1000");
    CHECK(tiny.here() == "model.embed_tokens");
    for (std::size_t i = 1; i < recording->stages().size(); ++i) tiny.run("step");
    for (std::size_t i = 1; i < recording->stages().size(); ++i) tiny.run("b");
    CHECK(tiny.here() == "model.embed_tokens");
    CHECK(tiny.state().passes == 1);
    CHECK(tiny.state().recording == recording);
    tiny.run("b");
    CHECK_FALSE(tiny.worked);  // there is nothing before
}

TEST_CASE("where only one layer is kept, going to another records that one, and says so") {
    TinySession tiny({}, 0);
    tiny.run("goto layers.0.mlp.gated");
    CHECK(tiny.state().passes == 1);
    tiny.run("goto layers.2.resid_mid");  // of the stream: kept in every layer
    CHECK(tiny.state().passes == 1);
    CHECK(contains(tiny.run("step 2"), "layer 2 is recorded in place of layer 0"));
    CHECK(tiny.here() == "model.layers.2.mlp.gate_proj");
    CHECK(tiny.state().passes == 2);
    CHECK(tiny.state().recording->keeps({Point::q_proj, 2}));
    const std::string shown = tiny.run("print gate_proj");
    TinySession whole;
    CHECK(shown == whole.run("layer 2 ;; goto gate_proj ;; print").substr(whole.out.str().size() - shown.size()));
}

TEST_CASE("next skips the inside of attention and MLP, finish leaves it") {
    TinySession tiny;
    tiny.run("goto resid_pre");
    std::vector<std::string> way;
    for (int i = 0; i < 7; ++i) {
        way.push_back(short_name(tiny.state().stage().site(), 0));
        tiny.run("next");
    }
    CHECK(way == std::vector<std::string>{"resid_pre", "input_layernorm", "self_attn", "resid_mid",
                                          "post_attention_layernorm", "mlp", "resid_post"});
    CHECK(tiny.here() == "model.layers.1.resid_pre");
    tiny.run("goto k_rope");
    tiny.run("next");
    CHECK(tiny.here() == "model.layers.1.self_attn.k_repeat");  // inside: stage by stage
    tiny.run("finish");
    CHECK(tiny.here() == "model.layers.1.self_attn");
    tiny.run("finish");
    CHECK(tiny.here() == "model.layers.1.resid_post");
    tiny.run("finish");
    CHECK_FALSE(tiny.worked);
    tiny.run("goto mlp.up_proj ;; finish");
    CHECK(tiny.here() == "model.layers.1.mlp");
    tiny.run("goto input_layernorm ;; n 2");
    CHECK(tiny.here() == "model.layers.1.resid_mid");
}

TEST_CASE("until and continue go forwards, and breakpoints stop every move forwards") {
    TinySession tiny;
    tiny.run("until z");
    CHECK(tiny.here() == "model.layers.0.self_attn.z");
    tiny.run("until z");  // the next one is in the next layer
    CHECK(tiny.here() == "model.layers.1.self_attn.z");
    tiny.run("until embed_tokens");
    CHECK_FALSE(tiny.worked);
    CHECK(tiny.here() == "model.layers.1.self_attn.z");

    tiny.run("goto embed_tokens ;; break resid_mid");
    tiny.run("continue");
    CHECK(tiny.here() == "model.layers.0.resid_mid");
    tiny.run("c");
    CHECK(tiny.here() == "model.layers.1.resid_mid");
    tiny.run("step 100");
    CHECK(tiny.here() == "model.layers.2.resid_mid");
    tiny.run("c");
    CHECK(tiny.here() == "lm_head");
    CHECK(contains(tiny.run("break"), "1  resid_mid"));
    tiny.run("delete 1 ;; back 1000 ;; break scores if max > 1e9 ;; break layers.1.self_attn.scores if max>-1 ;; c");
    CHECK(tiny.here() == "model.layers.1.self_attn.scores");
    tiny.run("delete ;; break mlp if nan ;; break masked_scores if inf ;; goto embed_tokens ;; c");
    CHECK(tiny.here() == "model.layers.0.self_attn.masked_scores");
    for (const char* wrong : {"break nothing", "break mlp if", "break mlp when nan", "break mlp if max",
                              "break mlp if max>", "break mlp if size>3", "break mlp if max>x", "delete 77"}) {
        CAPTURE(wrong);
        tiny.run(wrong);
        CHECK_FALSE(tiny.worked);
    }
}

TEST_CASE("a name means the stage of the current layer first") {
    TinySession tiny;
    const auto named = [&](const char* name) { return site_name(site_named(tiny.state(), name)); };
    CHECK(named("scores") == "model.layers.0.self_attn.scores");
    CHECK(named("self_attn.scores") == "model.layers.0.self_attn.scores");
    CHECK(named("model.layers.2.self_attn.scores") == "model.layers.2.self_attn.scores");
    CHECK(named("layers.2.mlp") == "model.layers.2.mlp");
    CHECK(named("blocks.1.attn.hook_z") == "model.layers.1.self_attn.z");
    CHECK(named("norm") == "model.norm");
    CHECK(named("embed_tokens") == "model.embed_tokens");
    tiny.run("layer 2");
    CHECK(named("scores") == "model.layers.2.self_attn.scores");
    CHECK(named("mlp") == "model.layers.2.mlp");
    CHECK_THROWS_AS(named("q_*"), Error);  // two stages
    CHECK_THROWS_WITH_AS(named("scoers"), "no stage of this pass is called 'scoers'", Error);

    CHECK(contains(tiny.run("goto scoers"), "did you mean scores?"));
    CHECK(contains(tiny.run("goto k_cache"), "start with --past N"));
    CHECK(contains(tiny.run("goto loss"), "start with --labels"));
    CHECK(contains(tiny.run("goto mlp.experts.1"), "only a model with experts has it"));
    CHECK(contains(tiny.run("goto"), "goto STAGE"));
}

TEST_CASE("layer moves to the same stage of another layer") {
    TinySession tiny;
    tiny.run("goto z ;; layer 2");
    CHECK(tiny.here() == "model.layers.2.self_attn.z");
    tiny.run("goto embed_tokens ;; layer 1");
    CHECK(tiny.here() == "model.layers.1.resid_pre");
    CHECK(contains(tiny.run("layer"), "layer 1 of 3"));
    CHECK(contains(tiny.run("layer 3"), "use 0 to 2"));
    CHECK(contains(tiny.run("layer x"), "use 0 to 2"));
}

TEST_CASE("an argument is a name with a slice, spaces or not") {
    using Pair = std::pair<std::string, std::string>;
    CHECK(first_argument("scores[0, 1] 2") == Pair{"scores[0, 1]", "2"});
    CHECK(first_argument("scores [0, 1] 2") == Pair{"scores [0, 1]", "2"});
    CHECK(first_argument("  z 2 3") == Pair{"z", "2 3"});
    CHECK(first_argument("z") == Pair{"z", ""});
    CHECK(first_argument("") == Pair{"", ""});
    CHECK(first_argument("a[1") == Pair{"a[1", ""});
}
