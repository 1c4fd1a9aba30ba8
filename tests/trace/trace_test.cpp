#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "trace/interventions.hpp"
#include "trace/recorder.hpp"
#include "trace/sites.hpp"

using namespace minimind;

TEST_CASE("a view shows heads, transposes and repeats of the same bytes") {
    // [S=2, kv=2, D=2], row-major: 0 1 | 2 3 || 4 5 | 6 7
    const std::vector<float> data = {0, 1, 2, 3, 4, 5, 6, 7};
    const TensorView plain(data.data(), Shape{2, 2, 2});
    CHECK(plain.contiguous());
    CHECK(plain.to_f32() == data);

    const TensorView transposed(data.data(), {{2, 2, 1}, {2, 4, 1}, {2, 1, 1}});  // [kv, S, D]
    CHECK_FALSE(transposed.contiguous());
    CHECK(transposed.to_f32() == std::vector<float>{0, 1, 4, 5, 2, 3, 6, 7});

    const TensorView repeated(data.data(), {{2, 4, 1}, {4, 2, 2}, {2, 1, 1}});  // [S, heads=4, D]: heads 0 0 1 1
    CHECK(repeated.shape() == Shape{2, 4, 2});
    CHECK(repeated.to_f32() == std::vector<float>{0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7});

    const float scalar = 3.5F;
    CHECK(TensorView(&scalar, Shape{}).to_f32() == std::vector<float>{3.5F});
    CHECK(TensorView(data.data(), Shape{2, 0}).to_f32().empty());
    const std::vector<std::int64_t> ids = {7, -1};
    CHECK(TensorView(ids.data(), Shape{2}).to_i64() == ids);
    CHECK(TensorView(ids.data(), Shape{2}).to_f32() == std::vector<float>{7, -1});
}

TEST_CASE("statistics of a hand-computed tensor") {
    // rows (3, 4) and (0, 0): mean 1.75, squares 25, mean_rms (sqrt(12.5) + 0) / 2; exact but for rounding
    const std::vector<float> data = {3, 4, 0, 0};
    const Statistics s = statistics_of(TensorView(data.data(), Shape{2, 2}));
    CHECK(s.count == 4);
    CHECK(s.mean == doctest::Approx(1.75));
    CHECK(s.std == doctest::Approx(std::sqrt((25.0 - 4 * 1.75 * 1.75) / 3)));
    CHECK(s.min == 0.0);
    CHECK(s.max == 4.0);
    CHECK(s.rms == doctest::Approx(2.5));
    CHECK(s.mean_rms == doctest::Approx(std::sqrt(12.5) / 2));
}

TEST_CASE("NaN and infinity are counted, the rest is over the finite values") {
    constexpr float inf = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> data = {1, nan, inf, -inf, 3, -inf};
    const Statistics s = statistics_of(TensorView(data.data(), Shape{6}));
    CHECK(s.nan_count == 1);
    CHECK(s.pos_inf_count == 1);
    CHECK(s.neg_inf_count == 2);
    CHECK(s.finite_count() == 2);
    CHECK(s.mean == doctest::Approx(2.0));
    CHECK(s.min == 1.0);
    CHECK(s.max == 3.0);
    CHECK(std::isnan(s.mean_rms));

    const Statistics none = statistics_of(TensorView(data.data() + 1, Shape{1}));
    CHECK(std::isnan(none.mean));
    CHECK(std::isnan(none.std));
    const Statistics one = statistics_of(TensorView(data.data(), Shape{1}));
    CHECK(one.mean == 1.0);
    CHECK(std::isnan(one.std));
    CHECK(statistics_of(TensorView(data.data(), Shape{0})).count == 0);
}

TEST_CASE("statistics do not depend on how the values lie in memory") {
    std::vector<float> data(120);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::sin(static_cast<float>(i));
    const TensorView strided(data.data(), {{4, 1, 1}, {30, 4, 1}});
    const std::vector<float> copy = strided.to_f32();
    const Statistics a = statistics_of(strided);
    const Statistics b = statistics_of(TensorView(copy.data(), Shape{4, 30}));
    CHECK(a.mean == doctest::Approx(b.mean).epsilon(1e-12));  // doubles, another order of the sum
    CHECK(a.std == doctest::Approx(b.std).epsilon(1e-12));
    CHECK(a.mean_rms == doctest::Approx(b.mean_rms).epsilon(1e-6));
}

TEST_CASE("the point table is complete and in the order of the enum") {
    CHECK(std::ssize(point_table()) == point_count);
    std::set<std::string_view> names;
    for (int i = 0; i < point_count; ++i) {
        const PointInfo& point = point_table()[static_cast<std::size_t>(i)];
        CAPTURE(point.name);
        CHECK(static_cast<int>(point.point) == i);
        CHECK(names.insert(point.name).second);
        CHECK_FALSE(point.formula.empty());
        CHECK_FALSE(point.pytorch.empty());
        const SourceLine source = source_of(point.point);
        CHECK(source.file.rfind("src/model/", 0) == 0);
        CHECK(source.line > 0);
    }
}

TEST_CASE("a stage goes by its full name, its alias, a dotted end of its name, or a glob") {
    const Site q_rope{Point::q_rope, 1};
    CHECK(site_name(q_rope) == "model.layers.1.self_attn.q_rope");
    CHECK(site_alias(q_rope) == "blocks.1.attn.hook_rot_q");
    CHECK(site_name({Point::expert, 0, 3}) == "model.layers.0.mlp.experts.3");
    CHECK(site_alias({Point::embed_tokens}) == "hook_embed");
    for (const char* pattern : {"model.layers.1.self_attn.q_rope", "self_attn.q_rope", "q_rope", "q_*", "*.1.*",
                                "blocks.1.attn.hook_rot_q", "*hook_rot_?", "model.layers.{i}.self_attn.q_rope"}) {
        CHECK_MESSAGE(matches(pattern, q_rope), pattern);
    }
    for (const char* pattern : {"rope", "model.layers.0.self_attn.q_rope", "k_rope", "q_rop", "", "attn.q_rope"}) {
        CHECK_FALSE_MESSAGE(matches(pattern, q_rope), pattern);
    }
    CHECK(matches("q", {Point::q, 0}));
    CHECK_FALSE(matches("q", {Point::q_proj, 0}));
    CHECK_FALSE(matches("loss", {Point::per_token_loss}));
}

TEST_CASE("the sites of a pass, and a name that is none") {
    const std::vector<Site> dense = sites_of({2, 0, false, false});
    CHECK(dense.size() == 3 + 2 * (25 + 5) + 2);
    CHECK(sites_of({2, 0, true, false}).size() == dense.size() + 4);
    CHECK(sites_of({2, 0, false, true}).size() == dense.size() + 4);
    CHECK(sites_of({1, 4, false, false}).size() == 3 + (25 + 4 + 4) + 2);
    CHECK(sites_named("q_rope", dense, "").size() == 2);
    try {
        sites_named("q_ropes", dense, "--filter q_ropes");
        FAIL("an unknown name must be refused");
    } catch (const Error& error) {
        CHECK(error.helps().at(0) == "did you mean q_rope?");
        CHECK(error.where() == "--filter q_ropes");
    }
}

TEST_CASE("the recorder keeps what is chosen") {
    Recorder recorder([](Site site) { return site.point == Point::norm; });
    CHECK(recorder.wants({Point::norm}));
    CHECK_FALSE(recorder.wants({Point::lm_head}));
    const std::vector<float> data = {1, 2, 3, 4};
    recorder.observe({Point::norm}, TensorView(data.data(), Shape{2, 2}));
    REQUIRE(recorder.find("model.norm") != nullptr);
    CHECK(recorder.find("model.norm")->view().to_f32() == data);
    CHECK(recorder.find("lm_head") == nullptr);

    Recorder statistics_only([](Site) { return true; }, false);
    statistics_only.observe({Point::norm}, TensorView(data.data(), Shape{4}));
    CHECK(statistics_only.records()[0].statistics.mean == 2.5);
    CHECK_THROWS_AS(statistics_only.records()[0].view(), std::logic_error);
}

TEST_CASE("ablation, the NaN watch, and several hooks as one") {
    Ablation ablation;
    ablation.add({{Point::mlp, 0}}, "");
    CHECK(ablation.edits({Point::mlp, 0}));
    CHECK_FALSE(ablation.edits({Point::mlp, 1}));
    CHECK_THROWS_AS(ablation.add({{Point::k_repeat, 0}}, "--ablate k_repeat"), Error);

    Recorder recorder;
    NanWatch watch;
    HookList hooks;
    hooks.add(ablation);
    hooks.add(recorder);
    hooks.add(watch);
    arma::fmat values(2, 2, arma::fill::ones);
    CHECK(hooks.edits({Point::mlp, 0}));
    hooks.edit({Point::mlp, 0}, values);
    CHECK(arma::accu(values) == 0.0F);
    hooks.observe({Point::mlp, 0}, TensorView(values.memptr(), Shape{2, 2}));
    CHECK(recorder.records().size() == 1);

    values(1, 1) = std::numeric_limits<float>::quiet_NaN();
    try {
        hooks.observe({Point::mlp, 0}, TensorView(values.memptr(), Shape{2, 2}));
        FAIL("a NaN must stop the pass");
    } catch (const Error& error) {
        CHECK(std::string(error.what()) == "model.layers.0.mlp has 1 NaN among 4 values");
        CHECK(error.exit_code() == 1);
    }
}
