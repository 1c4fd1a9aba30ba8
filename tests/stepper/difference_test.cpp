// `diff`: two stages, and this run beside a dump.
#include "stepper/difference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/json_text.hpp"
#include "report/trace_dump.hpp"
#include "stepper/difference_dump.hpp"
#include "support/golden_model.hpp"
#include "support/temporary_directory.hpp"
#include "tiny_session.hpp"

using namespace minimind;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

/// What `minimind trace --dump` would write of a recording.
void write_recording(const std::filesystem::path& directory, const Recording& recording) {
    TracedPass pass{recording.model(), recording.input().ids, 0, "seed 42", std::nullopt, std::nullopt, {}};
    for (const Stage& stage : recording.stages()) {
        Record record{stage.site(), stage.record.dtype, stage.record.shape, stage.record.statistics, {}, {}};
        if (record.dtype == Dtype::f32) record.f32 = stage.view.to_f32();
        if (record.dtype == Dtype::i64) record.i64 = stage.view.to_i64();
        pass.records.push_back(std::move(record));
    }
    write_dump(directory, 0, pass, false);
}

}  // namespace

TEST_CASE("difference: by hand") {
    const std::vector<float> a = {1, 2, 3, 4};
    const std::vector<float> b = {1, 2, 3, 8};
    const Difference d = difference_of(TensorView(a.data(), Shape{2, 2}), TensorView(b.data(), Shape{2, 2}));
    CHECK(d.unequal == 1);
    CHECK(d.max_abs == 4.0);
    CHECK(d.where == std::vector<std::int64_t>{1, 1});
    CHECK(d.a == 4.0);
    CHECK(d.b == 8.0);
    CHECK(d.rms == 2.0);                                                // sqrt(16 / 4)
    CHECK(d.rms_a == doctest::Approx(std::sqrt(30.0 / 4.0)));           // 1 + 4 + 9 + 16
    CHECK(d.cosine == doctest::Approx(46.0 / std::sqrt(30.0 * 78.0)));  // 1 + 4 + 9 + 32; 1 + 4 + 9 + 64
    CHECK(sum_order_tolerance(d) == doctest::Approx(1.6e-4));
}

TEST_CASE("difference: NaN and infinity equal themselves only") {
    const std::vector<float> a = {not_a_number, inf, -inf, 1, not_a_number};
    const std::vector<float> same = {not_a_number, inf, -inf, 1, not_a_number};
    const std::vector<float> other = {not_a_number, inf, inf, 1, 2};
    const Shape shape = {5};
    CHECK(difference_of(TensorView(a.data(), shape), TensorView(same.data(), shape)).unequal == 0);
    const Difference d = difference_of(TensorView(a.data(), shape), TensorView(other.data(), shape));
    CHECK(d.unequal == 2);
    CHECK(std::isinf(d.max_abs));
    CHECK(difference_of(TensorView(a.data(), Shape{0}), TensorView(a.data(), Shape{0})).count == 0);
}

TEST_CASE("difference: strides and repeats are followed") {
    const std::vector<float> heads = {1, 2, 3, 4};  // [2, 2]
    const TensorView repeated(heads.data(), {{4, 2, 2}, {2, 1, 1}});
    const std::vector<float> copied = {1, 2, 1, 2, 3, 4, 3, 5};
    const Difference d = difference_of(repeated, TensorView(copied.data(), Shape{4, 2}));
    CHECK(d.unequal == 1);
    CHECK(d.where == std::vector<std::int64_t>{3, 1});
}

TEST_CASE("diff: two stages of the run") {
    TinySession tiny;
    CHECK(contains(tiny.run("diff resid_post layers.1.resid_pre"), "240 of 240"));
    CHECK(contains(tiny.run("diff resid_pre resid_mid"), "different"));
    CHECK(contains(tiny.run("diff q_norm[:,:,0] q_rope[:,:,0]"), "largest"));
    CHECK(contains(tiny.run("diff q_rope k_rope"), "their shapes differ"));
    CHECK_FALSE(tiny.worked);
    CHECK(contains(tiny.run("diff"), "diff needs two stages"));
    CHECK(contains(tiny.run("diff resid_pre"), "something to compare"));
    CHECK(contains(tiny.run("diff resid_pre /tmp/no/such/place"), "there is no such dump"));
    TinySession one_layer({}, 0);  // the values of another layer are recorded, those of this one kept aside
    CHECK(contains(one_layer.run("diff q_proj layers.1.self_attn.q_proj"), "different"));
}

TEST_CASE("diff: a dump of the same run agrees, a changed run parts from it where it was changed") {
    TinySession tiny(PassOptions{true, 0, false, false});
    const TemporaryDirectory folder;
    write_recording(folder.path(), *tiny.state().recording);
    const std::string path = folder.path().string();
    CHECK(contains(tiny.run("diff " + path), "all agree"));
    CHECK(contains(tiny.run("diff scores " + path), "240 of 240") == false);
    CHECK(contains(tiny.run("diff scores[0] " + path + "/step000"), "100 of 100"));  // 4 heads of 5 x 5
    tiny.run("set layers.1.self_attn.q_norm[1,3,2,4] 5");
    const std::string parted = tiny.run("diff " + path);
    CHECK(contains(parted, "first that differs: model.layers.1.self_attn.q_norm"));
    CHECK(contains(parted, "[1, 3, 2, 4]"));
    CHECK(contains(parted, "here 5"));
    CHECK(contains(tiny.run("diff " + path + " 1e9"), "all agree"));
    CHECK(contains(tiny.run("diff " + path + " tight"), "diff DIR 0.02"));
}

TEST_CASE("diff: what is no dump is called so") {
    TinySession tiny;
    const TemporaryDirectory folder;
    const std::string empty = folder.path().string();
    CHECK(contains(tiny.run("diff " + empty), "there is no dump in this directory"));
    const std::string garbage = folder.file("x.safetensors", "not a safetensors file").string();
    CHECK(contains(tiny.run("diff " + garbage), "error"));
    CHECK_FALSE(tiny.worked);
    SafetensorsWriter writer(folder.path() / "other.safetensors");
    const std::vector<float> one = {1};
    writer.add("something", Shape{1}, one);
    writer.finish();
    CHECK(contains(tiny.run("diff " + (folder.path() / "other.safetensors").string()), "no stage of this run"));
}

// A learner's own hooks, with one planted mistake each: the first stage that differs is the one that their index names.
TEST_CASE("diff: dumps of wrong models part where the mistake is") {
    namespace fs = std::filesystem;
    const fs::path dumps = fs::path(MINIMIND_SOURCE_DIR) / ".." / "shared" / "goldens" / "dumps";
    if (!fs::exists(dumps / "index.json")) {
        MESSAGE("skipped: there are no dumps in " << dumps.string());
        return;
    }
    GoldenModel golden("dense");
    const auto recording = record_pass(golden.model, {golden.ids("in.input_ids"), {}, {}, 0, 0});
    const MappedFile index(dumps / "index.json");
    for (const auto& entry : parse_json(index.text(), "index.json")) {
        const std::string file = entry["file"];
        CAPTURE(file);
        Dump dump(dumps / file);
        const DumpComparison comparison = compare_with_dump(*recording, dump);
        CHECK(comparison.same_tokens);
        CHECK(comparison.stages.size() >= 31);
        const auto first = std::ranges::find_if(comparison.stages, &DumpedStage::differs);
        const std::string name = first == comparison.stages.end() ? "" : site_name(first->site);
        std::string expected = entry["first_different"].is_null() ? "" : entry["first_different"].get<std::string>();
        // one module stands for both norms there, so that under q_norm lies a tensor with k's shape
        if (file == "no_qk_norm.safetensors") expected = "model.layers.0.self_attn.q_norm";
        CHECK(name == expected);
    }
}
