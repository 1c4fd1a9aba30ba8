// A recording against the hooks themselves: the same stages, in the same order, with the same bytes.
#include "stepper/recording.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "core/error.hpp"
#include "report/forward_pass.hpp"
#include "tiny_session.hpp"

using namespace minimind;

namespace {

/// Every kind of pass that the stepper knows.
const std::vector<PassOptions>& kinds() {
    static const std::vector<PassOptions> all = {{false, 0, true, false}, {false, 0, false, true},
                                                 {false, 4, true, false}, {false, 2, false, true},
                                                 {true, 0, true, false},  {true, 4, false, false}};
    return all;
}

std::vector<Record> traced(const CausalLm& model, const TokenInput& input) {
    Recorder recorder;
    forward_pass(model, input, {&recorder, nullptr});
    return recorder.take_records();
}

/// As bits: the loss over no labels is NaN.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

std::vector<float> values_of(const std::shared_ptr<const Recording>& recording, Site site) {
    return recording->view(site).to_f32();
}

}  // namespace

TEST_CASE("a recording holds every stage of the pass, bit for bit") {
    for (const PassOptions& kind : kinds()) {
        CAPTURE(kind.use_moe);
        CAPTURE(kind.past);
        const CausalLm model = small_model(kind.use_moe);
        const TokenInput input = small_input(kind);
        const std::vector<Record> expected = traced(model, input);
        const auto recording = record_pass(model, input);
        REQUIRE(recording->stages().size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const Stage& stage = recording->stage(i);
            CAPTURE(stage.name());
            CHECK(stage.site() == expected[i].site);
            CHECK(stage.view.shape() == expected[i].shape);
            CHECK(same_bits(stage.view.to_f32(), expected[i].view().to_f32()));
            if (stage.view.dtype() == Dtype::i64) CHECK(stage.view.to_i64() == expected[i].view().to_i64());
            CHECK(stage.record.statistics.count == expected[i].statistics.count);
        }
    }
}

TEST_CASE("a recording of one layer keeps that layer and the stream, and the shapes of all") {
    const CausalLm model = small_model();
    const TokenInput input = small_input({});
    const auto whole = record_pass(model, input);
    const auto one = record_pass(model, input, {}, 1);
    REQUIRE(one->stages().size() == whole->stages().size());
    for (std::size_t i = 0; i < one->stages().size(); ++i) {
        const Stage& stage = one->stage(i);
        CAPTURE(stage.name());
        CHECK(stage.record.shape == whole->stage(i).record.shape);
        CHECK(stage.record.statistics.mean_rms == whole->stage(i).record.statistics.mean_rms);
        const std::string name = stage.name();
        const bool is_stream = contains(name, "resid_") || name.ends_with(".self_attn") || name.ends_with(".mlp");
        CHECK(stage.is_kept == (stage.site().layer < 0 || stage.site().layer == 1 || is_stream));
        if (stage.is_kept) CHECK(stage.view.to_f32() == whole->stage(i).view.to_f32());
    }
    CHECK_THROWS_AS(one->view({Point::q_proj, 0}), Error);
}

TEST_CASE("a block's recording takes no more than its tensors") {
    ModelConfig config = small_config();
    config.num_hidden_layers = 1;
    Generator generator(42);
    const CausalLm model = fresh_model(config, generator);
    TokenInput input = small_input({});
    input.ids.batch = {2, 48};
    input.ids.ids.assign(96, 7);
    const auto recording = record_pass(model, input, {}, 0);
    double block = 0.0;  // every tensor that the block computes; views of others are none of them
    double outside = 0.0;
    for (const Stage& stage : recording->stages()) {
        const Point point = stage.site().point;
        const bool is_view = point == Point::q || point == Point::k || point == Point::v || point == Point::k_repeat ||
                             point == Point::v_repeat || point == Point::self_attn || point == Point::mlp ||
                             point == Point::resid_pre;
        if (is_view) continue;
        (stage.site().layer == 0 ? block : outside) += 4.0 * static_cast<double>(stage.view.count());
    }
    // Exactly the tensors, and the bound that is promised.
    CHECK(recording->bytes() == doctest::Approx(block + outside));
    CHECK(recording->bytes() - outside < 1.5 * block);
    // The estimate that decides whether it fits is no less than what is kept, and not wildly more.
    CHECK(estimated_bytes(config, input, 0) >= recording->bytes());
    CHECK(estimated_bytes(config, input, 0) < 4.0 * recording->bytes());
}

TEST_CASE("a recording that would not fit is refused with its size before anything is computed") {
    const CausalLm model = small_model();
    TokenInput input;
    input.ids.batch = {1, std::int64_t{1} << 22};  // no ids: they are never looked at
    try {
        record_pass(model, input, {}, 0);
        FAIL("it was not refused");
    } catch (const Error& error) {
        CHECK(contains(error.what(), "recording this pass takes about"));
        CHECK(error.exit_code() == 2);
    }
}

TEST_CASE("edits change a stage as it is shown, and only what comes after it") {
    const CausalLm model = small_model();
    const TokenInput input = small_input({});
    const auto plain = record_pass(model, input);
    struct Case {
        Point point;
        const char* slice;
        StageEdit::Action action;
        double value;
    };
    const std::vector<Case> cases = {
        {Point::embed_tokens, "[1,2]", StageEdit::Action::scale, 3.0},
        {Point::q_proj, "[...,5]", StageEdit::Action::zero, 0.0},
        {Point::q_norm, "[0,1,3]", StageEdit::Action::set, 0.25},
        {Point::k_rope, "", StageEdit::Action::zero, 0.0},
        {Point::scores, "[1,2,3,:2]", StageEdit::Action::set, 2.0},
        {Point::attn_weights, "[:,3]", StageEdit::Action::scale, 0.5},
        {Point::z, "[1,2,3]", StageEdit::Action::set, 1.5},
        {Point::merged, "[0]", StageEdit::Action::scale, -1.0},
        {Point::self_attn, "", StageEdit::Action::zero, 0.0},
        {Point::gated, "[0,4,:7]", StageEdit::Action::zero, 0.0},
        {Point::resid_post, "[0,0,0]", StageEdit::Action::set, 9.0},
    };
    for (const Case& one : cases) {
        const Site site{one.point, one.point == Point::embed_tokens ? -1 : 1};
        const StageEdit edit{site, one.action, one.value, parse_slice(one.slice)};
        CAPTURE(edit.text());
        const auto edited = record_pass(model, input, {edit});
        const std::size_t at = plain->find(site);
        for (std::size_t i = 0; i < at; ++i) CHECK(edited->stage(i).view.to_f32() == plain->stage(i).view.to_f32());

        const Selection selection = select(edit.slice, plain->stage(at).record.shape, "");
        std::vector<float> expected = plain->stage(at).view.to_f32();
        const Shape shape = plain->stage(at).record.shape;
        for (std::int64_t n = 0; n < selection.count(); ++n) {
            std::int64_t place = 0;
            const std::vector<std::int64_t> index = index_of(selection, n);
            for (std::size_t i = 0; i < shape.size(); ++i) place = place * shape[i] + index[i];
            float& element = expected[static_cast<std::size_t>(place)];
            element = one.action == StageEdit::Action::scale ? element * static_cast<float>(one.value)
                                                             : static_cast<float>(one.value);
        }
        CHECK(edited->stage(at).view.to_f32() == expected);
        CHECK(edited->stages().back().view.to_f32() != plain->stages().back().view.to_f32());
        for (const Stage& stage : edited->stages()) CHECK(stage.is_kept);
    }
}

TEST_CASE("an edit that cannot be made is an error before the pass") {
    const CausalLm model = small_model();
    const TokenInput input = small_input({});
    const auto edit = [&](Point point, const char* slice) {
        record_pass(model, input, {{{point, 0}, StageEdit::Action::zero, 0.0, parse_slice(slice)}});
    };
    CHECK_THROWS_WITH_AS(edit(Point::k_repeat, ""), "model.layers.0.self_attn.k_repeat cannot be changed", Error);
    CHECK_THROWS_AS(edit(Point::q, ""), Error);
    CHECK_THROWS_AS(edit(Point::q_proj, "[0,0,99]"), Error);
    CHECK_NOTHROW(edit(Point::q_proj, "[0,0,23]"));
}

TEST_CASE("a decode step's edits leave the cache as it was") {
    const CausalLm model = small_model();
    const TokenInput input = small_input({false, 4, false, false});
    const auto plain = record_pass(model, input);
    const auto edited = record_pass(model, input, {{{Point::k_rope, 0}, StageEdit::Action::zero, 0.0, {}}});
    const std::vector<float> before = values_of(plain, {Point::k_cache, 0});
    const std::vector<float> after = values_of(edited, {Point::k_cache, 0});  // [B, T, k, D]: T = 4 + 1
    const std::size_t position = 2 * 6;
    for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t i = 0; i < 5 * position; ++i) {
            const std::size_t at = b * 5 * position + i;
            CHECK(after[at] == (i < 4 * position ? before[at] : 0.0F));
        }
    }
}
