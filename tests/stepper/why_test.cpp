// `why`: the terms of every stage add up to what the pass stored, and to what PyTorch computed.
#include "stepper/why.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "stepper/why_parts.hpp"
#include "stepper/why_text.hpp"
#include "support/golden_model.hpp"

using namespace minimind;

namespace {

enum class Kind { plain, cached, labelled, masked, cached_chunk };

TokenInput input_of(GoldenModel& golden, Kind kind) {
    TokenInput input{golden.ids("in.input_ids"), {}, {}, 0, 0};
    if (kind == Kind::cached) input.past = input.ids.batch.seq - 1;
    if (kind == Kind::cached_chunk) input.past = 2;
    if (kind == Kind::labelled) {
        input.labels = golden.ids("in.labels");
        input.labels->ids[1] = ignore_index;  // one that does not count
    }
    if (kind == Kind::masked) {  // the first key of the last row is padding
        input.attention_mask.ones(static_cast<arma::uword>(input.ids.batch.seq),
                                  static_cast<arma::uword>(input.ids.batch.batch));
        input.attention_mask(0, input.attention_mask.n_cols - 1) = 0.0F;
    }
    return input;
}

std::vector<std::int64_t> random_index(const Shape& shape, std::mt19937& random) {
    std::vector<std::int64_t> index;
    for (const std::int64_t size : shape) {
        index.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)));
    }
    return index;
}

std::string name_of(Site site, const std::vector<std::int64_t>& index) {
    return site_name(site) + list_text(index);
}

/// The stages of a pass at random elements. The bound is what `Why` states; that it says something is checked, too:
/// it is small beside the largest value of the stage (2e-5, as for the comparison with PyTorch), padding's -1e9 apart.
void check_all_stages(const Recording& recording, std::set<Point>& seen) {
    std::mt19937 random(1);
    for (const Stage& stage : recording.stages()) {
        seen.insert(stage.site().point);
        for (int i = 0; i < 5; ++i) {
            const std::vector<std::int64_t> index = random_index(stage.record.shape, random);
            const Why answer = why(recording, stage.site(), index);
            INFO(name_of(stage.site(), index), " result ", answer.result(), " stored ", answer.stored, " rounding ",
                 answer.rounding);
            CHECK(answer.adds_up());
            CHECK(answer.stored == value_at(stage.view, index));
            const double largest =
                std::max(std::abs(stage.record.statistics.max), std::abs(stage.record.statistics.min));
            if (largest < 1e8) CHECK(answer.rounding <= 2e-5 * std::max(1.0, largest));
        }
    }
}

}  // namespace

TEST_CASE("why: every stage adds up, dense and with experts, on a cache, with labels and with padding") {
    std::set<Point> seen;
    for (const std::string name : {"dense", "moe_top2", "moe_raw_weights", "gelu", "yarn", "mqa"}) {
        GoldenModel golden(name);
        for (const Kind kind : {Kind::plain, Kind::cached, Kind::labelled, Kind::masked, Kind::cached_chunk}) {
            INFO(name, " kind ", static_cast<int>(kind));
            check_all_stages(*record_pass(golden.model, input_of(golden, kind)), seen);
        }
    }
    CHECK(seen.size() == static_cast<std::size_t>(point_count));
}

TEST_CASE("why: the result is PyTorch's value of the stage") {
    for (const std::string name : {"dense", "moe_top2", "untied"}) {
        GoldenModel golden(name);
        TokenInput input = input_of(golden, Kind::plain);
        input.labels = golden.ids("in.labels");
        const auto recording = record_pass(golden.model, input);
        std::mt19937 random(2);
        for (const Stage& stage : recording->stages()) {
            const StoredTensor* reference = golden.file.find("stage." + stage.name());
            REQUIRE_MESSAGE(reference != nullptr, stage.name());
            const std::vector<float> values = golden.file.to_f32(*reference);
            const std::vector<std::int64_t> index = random_index(stage.record.shape, random);
            std::size_t flat = 0;
            for (std::size_t i = 0; i < index.size(); ++i) {
                flat = flat * static_cast<std::size_t>(stage.record.shape[i]) + static_cast<std::size_t>(index[i]);
            }
            const Why answer = why(*recording, stage.site(), index);
            // float32 sums in another order: 2e-5 of the largest value, as everywhere
            INFO(name_of(stage.site(), index));
            const auto result = static_cast<float>(answer.result());
            if (std::isinf(values[flat])) {
                CHECK(result == values[flat]);
            } else {
                const double largest =
                    std::max(std::abs(stage.record.statistics.max), std::abs(stage.record.statistics.min));
                CHECK(std::abs(result - values[flat]) <= 2e-5 * std::max(1.0, largest));
            }
        }
    }
}

TEST_CASE("why: a score by hand") {
    GoldenModel golden("dense");
    const auto recording = record_pass(golden.model, input_of(golden, Kind::plain));
    const TensorView& q = recording->view({Point::q_rope, 1});
    const TensorView& k = recording->view({Point::k_rope, 1});
    const std::int64_t group = golden.config.heads_per_kv_head();
    double expected = 0.0;
    for (std::int64_t d = 0; d < golden.config.head_dim; ++d) {
        expected += value_at(q, {1, 3, 2, d}) * value_at(k, {1, 1, 2 / group, d});
    }
    expected /= std::sqrt(static_cast<double>(golden.config.head_dim));

    const Why answer = why(*recording, {Point::scores, 1}, {1, 2, 3, 1});
    CHECK(answer.result() == doctest::Approx(expected).epsilon(1e-12));  // both in double
    REQUIRE(answer.steps.size() == 3);
    CHECK(std::ssize(answer.steps[0].sum->terms) == golden.config.head_dim);
    CHECK(answer.steps[0].sum->total() == answer.steps[0].value);
}

TEST_CASE("why: RMSNorm and softmax name their parts") {
    GoldenModel golden("wide_eps");
    const auto recording = record_pass(golden.model, input_of(golden, Kind::plain));
    const TensorView& x = recording->view({Point::resid_pre, 0});
    double mean = 0.0;
    for (std::int64_t i = 0; i < golden.config.hidden_size; ++i) mean += std::pow(value_at(x, {0, 2, i}), 2.0);
    mean /= static_cast<double>(golden.config.hidden_size);
    const Why norm = why(*recording, {Point::input_layernorm, 0}, {0, 2, 4});
    CHECK(norm.steps[1].name == "mean(x^2)");
    CHECK(norm.steps[1].value == doctest::Approx(mean).epsilon(1e-12));
    CHECK(norm.steps[2].value == doctest::Approx(golden.config.rms_norm_eps).epsilon(1e-6));  // a float32

    // query 2 sees three keys: the denominator has three exponentials, the others are 0
    const Why softmax = why(*recording, {Point::attn_weights, 0}, {0, 0, 2, 1});
    CHECK(softmax.steps[3].sum->terms[3].value() == 0.0);
    const TensorView& scores = recording->view({Point::scores, 0});
    const double own = std::exp(value_at(scores, {0, 0, 2, 1}));
    const double all = std::exp(value_at(scores, {0, 0, 2, 0})) + own + std::exp(value_at(scores, {0, 0, 2, 2}));
    CHECK(softmax.result() == doctest::Approx(own / all).epsilon(1e-12));
    CHECK(why(*recording, {Point::attn_weights, 0}, {0, 0, 2, 3}).result() == 0.0);
}

TEST_CASE("why: a cached key is the key of a pass without a cache") {
    GoldenModel golden("dense");
    const auto whole = record_pass(golden.model, input_of(golden, Kind::plain));
    const auto cached = record_pass(golden.model, input_of(golden, Kind::cached));
    const Why answer = why(*cached, {Point::k_cache, 1}, {0, 1, 1, 3});
    const double fresh = value_at(whole->view({Point::k_rope, 1}), {0, 1, 1, 3});
    CHECK(std::abs(answer.result() - fresh) <= 2e-5);  // float32 sums in another order, values near 1
    CHECK(answer.difference() == 0.0);
}

TEST_CASE("why: an edit is a step of its own") {
    GoldenModel golden("dense");
    const std::vector<StageEdit> edits = {
        {{Point::z, 0}, StageEdit::Action::scale, 3.0, parse_slice("[:, 1]")},
        {{Point::resid_mid, 1}, StageEdit::Action::set, 2.5, parse_slice("[0, 1, 2]")},
        {{Point::mlp, 0}, StageEdit::Action::zero, 0.0, {}}};
    const auto recording = record_pass(golden.model, input_of(golden, Kind::plain), edits);
    std::set<Point> seen;
    check_all_stages(*recording, seen);
    CHECK(why(*recording, {Point::resid_mid, 1}, {0, 1, 2}).result() == 2.5);
    CHECK(why(*recording, {Point::resid_mid, 1}, {0, 1, 2}).steps.size() == 4);
    CHECK(why(*recording, {Point::resid_mid, 1}, {0, 1, 3}).steps.size() == 3);
    CHECK(why(*recording, {Point::mlp, 0}, {1, 1, 3}).result() == 0.0);
}

TEST_CASE("why: a stored value that is something else does not add up") {
    GoldenModel golden("dense");
    const auto recording = record_pass(golden.model, input_of(golden, Kind::plain));
    Why answer = why(*recording, {Point::q_proj, 0}, {0, 0, 0});
    CHECK(answer.adds_up());
    answer.stored += 1e-3;
    CHECK_FALSE(answer.adds_up());
    CHECK(why_text(answer, "q_proj[0, 0, 0]", {}).find("more than float32 rounding") != std::string::npos);
}

TEST_CASE("why: where float32 overflows and a double does not, that is said") {
    GoldenModel golden("dense");
    const std::vector<StageEdit> edits = {
        {{Point::resid_mid, 0}, StageEdit::Action::set, 1e25, parse_slice("[0, 1, 0]")}};
    const auto recording = record_pass(golden.model, input_of(golden, Kind::plain), edits);
    const Why answer = why(*recording, {Point::post_attention_layernorm, 0}, {0, 1, 0});
    CHECK(answer.stored == 0.0);  // the square is infinite in float32, so that 1 / sqrt is 0
    CHECK(std::abs(answer.result()) > 0.1);
    CHECK(answer.overflows());
    CHECK(why_text(answer, "norm", {}).find("float32 overflowed") != std::string::npos);
    CHECK_FALSE(why(*recording, {Point::post_attention_layernorm, 0}, {0, 2, 0}).overflows());
}
