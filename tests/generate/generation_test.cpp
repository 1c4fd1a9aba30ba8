#include "generate/generation.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "random/fresh_model.hpp"
#include "support/golden_model.hpp"
#include "support/json_of.hpp"

using namespace minimind;

namespace {

constexpr std::int64_t prompt_length = 3;
constexpr std::int64_t new_tokens = 8;

TokenIds first_row(const TokenIds& rows) {
    return {{1, rows.batch.seq}, rows.row(0)};
}

GenerationSettings eight_tokens_without_eos(bool use_cache) {
    GenerationSettings settings;
    settings.max_new_tokens = new_tokens;
    settings.eos = std::nullopt;
    settings.use_cache = use_cache;
    return settings;
}

/// A model of 17 tokens and 12 positions, fast enough to be run hundreds of times.
CausalLm small_model(std::uint64_t seed) {
    ModelConfig config = preset("tiny");
    config.hidden_size = 16;
    config.num_hidden_layers = 1;
    config.vocab_size = 17;
    config.max_position_embeddings = 12;
    Generator generator(seed);
    return fresh_model(completed(config), generator);
}

}  // namespace

TEST_CASE("greedy generation gives the reference's tokens, with and without a cache") {
    for (const std::string& name : golden_cases()) {
        CAPTURE(name);
        GoldenModel golden(name);
        const TokenIds prompt = first_row(golden.ids("in.input_ids").positions(0, prompt_length));
        const TokenIds expected = golden.ids("greedy8");
        for (const bool use_cache : {true, false}) {
            SamplingSettings sampling;
            sampling.greedy = true;
            sampling.temperature = 1.0;
            sampling.top_k = 0;
            sampling.top_p = 1.0;
            Sampler sampler(sampling, 0);
            const Generation result = generate(golden.model, prompt, eight_tokens_without_eos(use_cache), sampler);
            CHECK(result.ids.ids == expected.ids);  // integers: equal
            CHECK(result.new_tokens == new_tokens);
            CHECK(result.ending == Generation::Ending::max_new_tokens);
        }
    }
}

TEST_CASE("sampled generation gives the reference's tokens, with and without a cache") {
    int compared = 0;
    for (const std::string& name : golden_cases()) {
        GoldenModel golden(name);
        const TokenIds prompt = golden.ids("in.input_ids").positions(0, prompt_length);
        const auto all_settings = json_of(golden.file.metadata().at("sampling"));
        const std::uint64_t seed = std::stoull(golden.file.metadata().at("sample_seed"));
        for (const auto& entry : all_settings.items()) {
            const std::string& sample = entry.key();
            const nlohmann::json& values = entry.value();
            CAPTURE(name);
            CAPTURE(sample);
            SamplingSettings sampling;
            sampling.temperature = values.at("temperature").get<double>();
            sampling.top_k = values.at("top_k").get<std::int64_t>();
            sampling.top_p = values.at("top_p").get<double>();
            sampling.repetition_penalty = values.value("repetition_penalty", 1.0);
            const TokenIds expected = golden.ids("sample." + sample);
            for (const bool use_cache : {true, false}) {
                Sampler sampler(sampling, seed);
                const Generation result = generate(golden.model, prompt, eight_tokens_without_eos(use_cache), sampler);
                CHECK(result.ids.batch.batch == expected.batch.batch);
                CHECK(result.ids.ids == expected.ids);  // integers: equal
                ++compared;
            }
        }
    }
    CHECK(compared == 13 * 5 * 2);
}

TEST_CASE("a finished row gets eos but still draws, so that the other rows do not change") {
    const CausalLm model = small_model(1);
    const TokenIds prompt{{2, 2}, {1, 2, 3, 4}};
    GenerationSettings settings;
    settings.max_new_tokens = 8;
    settings.eos = std::nullopt;
    Sampler free_sampler({}, 7);
    const Generation free = generate(model, prompt, settings, free_sampler);

    settings.eos = free.ids.at(0, 3);  // the second new token of row 0 ends it
    Sampler sampler({}, 7);
    const Generation ended = generate(model, prompt, settings, sampler);
    REQUIRE(ended.new_tokens >= 2);
    bool finished[] = {false, false};
    for (std::int64_t s = 2; s < ended.ids.batch.seq; ++s) {
        for (std::int64_t b = 0; b < 2; ++b) {
            CAPTURE(s);
            CAPTURE(b);
            // Row 1 sees nothing of row 0 but the numbers that row 0 draws.
            const std::int64_t expected = finished[b] ? *settings.eos : free.ids.at(b, s);
            CHECK(ended.ids.at(b, s) == expected);
            finished[b] = finished[b] || expected == *settings.eos;
        }
    }
    CHECK(finished[0]);
}

TEST_CASE("generation ends when all rows are finished, at max_new_tokens, at the last position, or when told to") {
    const CausalLm model = small_model(2);
    const TokenIds prompt{{1, 2}, {1, 2}};
    SamplingSettings greedy;
    greedy.greedy = true;
    Sampler sampler(greedy, 0);
    GenerationSettings settings;
    settings.eos = std::nullopt;

    settings.max_new_tokens = 0;
    CHECK(generate(model, prompt, settings, sampler).ids.ids == prompt.ids);

    settings.max_new_tokens = 100;
    const Generation full = generate(model, prompt, settings, sampler);
    CHECK(full.ending == Generation::Ending::max_positions);
    CHECK(full.ids.batch.seq == model.config().max_position_embeddings);

    const StepObserver stop_at_third = [](const GenerationStep& step) { return step.index < 2; };
    const Generation stopped = generate(model, prompt, settings, sampler, stop_at_third);
    CHECK(stopped.ending == Generation::Ending::stopped);
    CHECK(stopped.new_tokens == 3);

    settings.eos = full.ids.at(0, 2);
    const Generation finished = generate(model, prompt, settings, sampler);
    CHECK(finished.ending == Generation::Ending::finished);
    CHECK(finished.new_tokens == 1);
}

TEST_CASE("the observer sees what was computed and what was chosen") {
    const CausalLm model = small_model(3);
    const TokenIds prompt{{2, 3}, {1, 2, 3, 4, 5, 6}};
    for (const bool use_cache : {true, false}) {
        CAPTURE(use_cache);
        Sampler sampler({}, 5);
        std::vector<std::int64_t> pasts, lengths, chosen;
        const StepObserver observer = [&](const GenerationStep& step) {
            pasts.push_back(step.past);
            lengths.push_back(step.input_ids.batch.seq);
            chosen.insert(chosen.end(), step.appended.begin(), step.appended.end());
            REQUIRE(step.tokens.size() == 2);
            CHECK(step.tokens[1].logits.n_elem == 17);
            return true;
        };
        const Generation result = generate(model, prompt, eight_tokens_without_eos(use_cache), sampler, observer);
        CHECK(pasts ==
              (use_cache ? std::vector<std::int64_t>{0, 3, 4, 5, 6, 7, 8, 9} : std::vector<std::int64_t>(8, 0)));
        CHECK(lengths.front() == 3);
        CHECK(lengths.back() == (use_cache ? 1 : 10));
        CHECK(pasts.back() == (use_cache ? 9 : 0));
        REQUIRE(chosen.size() == 16);
        CHECK(result.ids.at(1, 3) == chosen[1]);
        CHECK(result.ids.at(0, 10) == chosen[14]);
    }
}

TEST_CASE("with a mask, padding on the left does not change what is generated") {
    // The rotary positions are relative, so the tokens see each other as they would without padding; what differs is
    // rounding (1e-6 of the logits), which the largest logit of a fresh model survives for these seeds.
    const CausalLm model = small_model(4);
    SamplingSettings greedy;
    greedy.greedy = true;
    GenerationSettings settings = eight_tokens_without_eos(true);
    settings.max_new_tokens = 4;
    Sampler sampler(greedy, 0);
    const Generation plain = generate(model, {{1, 3}, {5, 6, 7}}, settings, sampler);

    settings.attention_mask = AttentionMask(5, 1, arma::fill::ones);
    settings.attention_mask(0) = settings.attention_mask(1) = 0.0F;
    const Generation padded = generate(model, {{1, 5}, {0, 0, 5, 6, 7}}, settings, sampler);
    CHECK(padded.ids.positions(5, 4).ids == plain.ids.positions(3, 4).ids);
}

TEST_CASE("one seed gives one text, another seed another one") {
    const CausalLm model = small_model(5);
    const TokenIds prompt{{1, 2}, {1, 2}};
    const GenerationSettings settings = eight_tokens_without_eos(true);
    const auto ids = [&](std::uint64_t seed) {
        Sampler sampler({}, seed);
        return generate(model, prompt, settings, sampler).ids.ids;
    };
    CHECK(ids(1) == ids(1));
    CHECK(ids(1) != ids(2));  // 17 tokens, 8 draws: equal by chance once in billions
}
