// Every stage of 13 small models against PyTorch. The tolerance is stated in golden_model.hpp.
#include <doctest/doctest.h>

#include <set>

#include "support/golden_model.hpp"
#include "trace/recorder.hpp"

using namespace minimind;

namespace {

void check_records(GoldenModel& golden, const Recorder& recorder, const std::string& prefix) {
    std::set<std::string> recorded;
    for (const Record& record : recorder.records()) {
        const std::string name = prefix + site_name(record.site);
        recorded.insert(name);
        const StoredTensor* stored = golden.file.find(name);
        REQUIRE_MESSAGE(stored != nullptr, name);
        CAPTURE(name);
        const Shape shape = record.shape.empty() ? Shape{1} : record.shape;  // a scalar is stored as [1]
        CHECK(shape == stored->shape);
        if (record.dtype == Dtype::i64) {
            CHECK(record.i64 == golden.file.to_i64(*stored));
        } else {
            CHECK(difference(record.f32, golden.file.to_f32(*stored)) == "");
        }
    }
    for (const StoredTensor& tensor : golden.file.tensors()) {
        if (tensor.name.rfind(prefix, 0) == 0) CHECK_MESSAGE(recorded.count(tensor.name) == 1, tensor.name);
    }
}

void check_logits(GoldenModel& golden, const arma::fmat& logits, const std::string& name) {
    CAPTURE(name);
    const std::vector<float> ours(logits.begin(), logits.end());
    CHECK(difference(ours, golden.file.to_f32(golden.file.at(name))) == "");
}

AttentionMask mask_of(const TokenIds& ids) {
    AttentionMask mask(static_cast<arma::uword>(ids.batch.seq), static_cast<arma::uword>(ids.batch.batch));
    for (arma::uword i = 0; i < mask.n_elem; ++i) mask[i] = static_cast<float>(ids.ids[i]);
    return mask;
}

}  // namespace

TEST_CASE("every stage of a forward pass equals PyTorch's") {
    for (const std::string& name : golden_cases()) {
        CAPTURE(name);
        GoldenModel golden(name);
        Recorder recorder;
        ForwardOptions options;
        options.labels = golden.ids("in.labels");
        options.hook = &recorder;
        golden.model.forward(golden.ids("in.input_ids"), options);
        check_records(golden, recorder, "stage.");
    }
}

TEST_CASE("padding on either side is masked as in PyTorch") {
    for (const std::string& name : golden_cases()) {
        CAPTURE(name);
        GoldenModel golden(name);
        for (const std::string side : {"mask_left", "mask_right"}) {
            Recorder recorder([](Site site) { return site == Site{Point::masked_scores, 0}; });
            ForwardOptions options;
            options.attention_mask = mask_of(golden.ids(side + ".attention_mask"));
            options.hook = &recorder;
            const CausalLmOutput output = golden.model.forward(golden.ids("in.input_ids"), options);
            check_logits(golden, output.logits, side + ".lm_head");
            const std::string scores = side + ".model.layers.0.self_attn.masked_scores";
            CHECK(difference(recorder.records().at(0).f32, golden.file.to_f32(golden.file.at(scores))) == "");
        }
    }
}

TEST_CASE("a cached step, a chunk on the cache and logits_to_keep equal PyTorch's") {
    for (const std::string& name : golden_cases()) {
        CAPTURE(name);
        GoldenModel golden(name);
        const TokenIds ids = golden.ids("in.input_ids");
        KvCache cache(golden.config);
        ForwardOptions options;
        options.past_key_values = &cache;
        golden.model.forward(ids.positions(0, 4), options);
        CHECK(cache.length() == 4);

        Recorder step;
        options.hook = &step;
        golden.model.forward(ids.positions(4, 1), options);
        check_records(golden, step, "step.");

        Recorder chunk([](Site site) { return site == Site{Point::masked_scores, 0}; });
        options.hook = &chunk;
        const CausalLmOutput output = golden.model.forward(ids.positions(5, 2), options);
        check_logits(golden, output.logits, "chunk.lm_head");
        const std::string scores = "chunk.model.layers.0.self_attn.masked_scores";
        CHECK(difference(chunk.records().at(0).f32, golden.file.to_f32(golden.file.at(scores))) == "");

        ForwardOptions keep;
        keep.logits_to_keep = 2;
        check_logits(golden, golden.model.forward(ids, keep).logits, "keep2.lm_head");
    }
}
