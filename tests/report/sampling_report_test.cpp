#include "report/sampling_report.hpp"
#include "support/text.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace minimind;

namespace {

/// Probabilities 2/3 and 1/3 of two remaining tokens of four.
SampledToken sampled() {
    SamplingSettings settings;
    settings.temperature = 1.0;
    settings.top_k = 2;
    settings.top_p = 1.0;
    Sampler sampler(settings, 0);
    return sampler.choose({std::log(2.0F), -5.0F, 0.0F, -6.0F}, {});
}

}  // namespace

TEST_CASE("a choice as text: what each filter leaves, candidates, choice") {
    const SampledToken token = sampled();
    SamplingSettings settings;
    settings.top_k = 2;
    settings.temperature = settings.top_p = 1.0;
    SamplingReport report{token, settings};
    report.step = 3;
    report.appended = token.id;
    const std::string text = report.text();
    CHECK(contains(text, "step 3, row 0\n"));
    CHECK(contains(text, "temperature 1 (off)"));
    CHECK(contains(text, "top_k 2 "));
    CHECK(contains(text, "0.666667"));
    CHECK(contains(text, "0.333333"));
    CHECK(contains(text, "drawn: " + std::to_string(token.id)));
    CHECK_FALSE(contains(text, "more\n"));
    CHECK(contains(report.text(1), "... 1 more\n"));
    report.appended = 9;
    CHECK(contains(report.text(), "the row is finished, so 9 is appended"));
}

TEST_CASE("a choice as JSON") {
    const SampledToken token = sampled();
    SamplingSettings settings;
    settings.top_k = 2;
    const SamplingReport report{token, settings};
    const auto json = report.json();
    CHECK(json["logits"].size() == 4);
    CHECK(json["logits"][0]["id"] == 0);
    CHECK(json["filters"][2]["name"] == "top_k");
    CHECK(json["filters"][2]["remaining"] == 2);
    REQUIRE(json["candidates"].size() == 2);
    CHECK(json["candidates"][1]["id"] == 2);
    // float32 against the exact third
    CHECK(json["candidates"][1]["probability"].get<double>() == doctest::Approx(1.0 / 3.0).epsilon(1e-6));
    CHECK(json["text"].is_null());  // there is no tokenizer
}

TEST_CASE("a part of a character is shown as its bytes") {
    const Tokenizer tokenizer =
        Tokenizer::from_path(std::string(MINIMIND_GOLDEN_DIR) + "/tokenizer/demo/tokenizer.json");
    CHECK(quoted_token(&tokenizer, 208) == "\"\\xf0\"");  // the first byte of an emoji
    CHECK(quoted_token(&tokenizer, 234) == "\"\\n\"");
    CHECK(quoted_token(&tokenizer, 645) == "\"什么\"");
    CHECK(quoted_token(&tokenizer, 999999) == "");
    CHECK(quoted_token(nullptr, 1) == "");
}
