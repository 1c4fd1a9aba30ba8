// `ledger` and `lens`: the writes add up to the stream, the shares to the logit, the lens ends in the model's answer.
#include "stepper/ledger.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "stepper/lens.hpp"
#include "stepper/why_parts.hpp"
#include "support/golden_model.hpp"
#include "tiny_session.hpp"

using namespace minimind;

namespace {

double rms_of(const std::vector<double>& x) {
    double sum = 0.0;
    for (const double value : x) sum += value * value;
    return std::sqrt(sum / static_cast<double>(x.size()));
}

}  // namespace

TEST_CASE("ledger: writes add up to the stream and shares to PyTorch's logit") {
    for (const std::string name : {"dense", "deep", "moe_top2", "untied", "wide_eps"}) {
        CAPTURE(name);
        GoldenModel golden(name);
        const auto recording = record_pass(golden.model, {golden.ids("in.input_ids"), {}, {}, 0, 0});
        const std::vector<float> logits = golden.file.to_f32(golden.file.at("stage.lm_head"));
        const std::int64_t S = recording->batch().seq;
        const std::int64_t V = golden.config.vocab_size;
        for (const std::int64_t b : {0, 1}) {
            const std::int64_t s = b == 0 ? 0 : S - 1;
            const std::int64_t id = 3 + 4 * b;
            const Ledger ledger = ledger_of(*recording, b, s, id);
            CHECK(std::ssize(ledger.entries) == 1 + 2 * golden.config.num_hidden_layers);
            CHECK(ledger.largest_gap <= ledger.allowed_gap);
            CHECK(ledger.allowed_gap <= 1e-4);  // values near 1: a bound that says something
            REQUIRE(ledger.stored_logit.has_value());
            // float32 sums in another order
            CHECK(ledger.logit == doctest::Approx(*ledger.stored_logit).epsilon(1e-4));
            const auto flat = static_cast<std::size_t>((b * S + s) * V + id);
            CHECK(std::abs(ledger.logit - static_cast<double>(logits[flat])) <= 1e-4);
        }
    }
}

TEST_CASE("ledger: size, ratio, cosine and sum by hand") {
    TinySession tiny;
    const Recording& recording = *tiny.state().recording;
    const Ledger ledger = ledger_of(recording, 1, 2);
    const LedgerEntry& embedding = ledger.entries[0];
    const LedgerEntry& attention = ledger.entries[1];
    CHECK(attention.name.en == "attention 0");
    CHECK(std::isnan(embedding.ratio));
    double product = 0.0;
    std::vector<double> mid;
    for (std::int64_t i = 0; i < 24; ++i) {
        const double x = value_at(recording.view({Point::embed_tokens}), {1, 2, i});
        const double a = value_at(recording.view({Point::self_attn, 0}), {1, 2, i});
        product += x * a;
        mid.push_back(x + a);
    }
    CHECK(attention.rms == doctest::Approx(rms_of(attention.write)));
    CHECK(attention.ratio == doctest::Approx(attention.rms / embedding.rms));
    CHECK(attention.cosine == doctest::Approx(product / (24.0 * attention.rms * embedding.rms)));
    CHECK(attention.stream_rms == doctest::Approx(rms_of(mid)));
    CHECK(ledger.entries.back().stream_rms == doctest::Approx(ledger.final_rms).epsilon(1e-6));
}

TEST_CASE("ledger: an edit of the stream is a write of its own, and the sum still holds") {
    TinySession tiny;
    tiny.run("set resid_mid[0,1,3] 2");
    tiny.run("ablate mlp");
    const Ledger ledger = ledger_of(*tiny.state().recording, 0, 1);
    CHECK(ledger.entries.size() == 8);
    CHECK(ledger.entries[2].name.en == "edit of resid_mid 0");
    CHECK(ledger.entries[3].rms == 0.0);  // the MLP of layer 0 writes nothing now
    CHECK(ledger.largest_gap <= ledger.allowed_gap);
}

TEST_CASE("lens: the last row is the model's answer, the first what the embedding says by itself") {
    GoldenModel golden("untied");
    const auto recording = record_pass(golden.model, {golden.ids("in.input_ids"), {}, {}, 0, 0});
    const std::vector<LensRow> rows = lens_of(*recording, 1, 3, 4);
    REQUIRE(std::ssize(rows) == golden.config.num_hidden_layers + 1);
    const TensorView& logits = recording->logits();
    double sum = 0.0;
    std::int64_t best = 0;
    for (std::int64_t v = 0; v < golden.config.vocab_size; ++v) {
        sum += std::exp(value_at(logits, {1, 3, v}));
        if (value_at(logits, {1, 3, v}) > value_at(logits, {1, 3, best})) best = v;
    }
    CHECK(rows.back().top[0].id == best);
    CHECK(rows.back().top[0].probability ==
          doctest::Approx(std::exp(value_at(logits, {1, 3, best})) / sum).epsilon(1e-5));
    CHECK(rows.back().final_probability == rows.back().top[0].probability);
    CHECK(rows[0].site == Site{Point::embed_tokens});
    for (const LensRow& row : rows) {
        for (std::size_t i = 1; i < row.top.size(); ++i) CHECK(row.top[i].probability <= row.top[i - 1].probability);
    }
}

TEST_CASE("ledger and lens: the commands and their mistakes") {
    TinySession tiny;
    CHECK(contains(tiny.run("ledger 2 for 7"), "the shares add up to the logit of 7"));
    CHECK(contains(tiny.run("ledger"), "row 0, position 4"));
    CHECK(contains(tiny.run("ledger for 7"), "row 0, position 4"));
    CHECK(contains(tiny.run("lens 1,2"), "layer 2"));
    CHECK(contains(tiny.run("ledger 9"), "positions are 0 to 4"));
    CHECK(contains(tiny.run("ledger x"), "ledger 3"));
    CHECK(contains(tiny.run("ledger 2 for"), "ledger 3 for 42"));
    CHECK(contains(tiny.run("ledger 2 for 50"), "use an id from 0 to 49"));
    CHECK(contains(tiny.run("lens resid_mid"), "lens 1,3"));
    TinySession cached(PassOptions{false, 3, false, false}, all_layers, Language::zh);
    CHECK(contains(cached.run("ledger 4 for 7"), "logit"));
    CHECK(cached.worked);
    cached.run("lens 1");
    CHECK_FALSE(cached.worked);  // position 1 is in the cache
}
