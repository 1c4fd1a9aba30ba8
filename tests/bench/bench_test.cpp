// What measures must be right before its times mean anything: medians, operation counts, floors that compute what the
// forward pass computes, and a table whose lines are the ones promised. No time is tested.
#include <doctest/doctest.h>

#include <omp.h>

#include <set>

#include "bench/measurements.hpp"
#include "bench/products_alone.hpp"
#include "bench/stopwatch.hpp"
#include "core/threads.hpp"
#include "random/fresh_model.hpp"
#include "support/json_of.hpp"
#include "support/run_program.hpp"

using namespace minimind;

namespace {

CausalLm tiny_model(bool use_moe = false) {
    ModelConfig config = preset("tiny");
    config.use_moe = use_moe;
    Generator generator(42);
    return fresh_model(completed(config), generator);
}

}  // namespace

TEST_CASE("the median is the middle, or the mean of the two in the middle") {
    CHECK(median({3.0}) == 3.0);
    CHECK(median({9.0, 1.0, 2.0}) == 2.0);
    CHECK(median({4.0, 1.0, 2.0, 100.0}) == 3.0);
}

TEST_CASE("the floor of a forward pass counts its multiplications and additions") {
    const CausalLm model = tiny_model();
    // By hand, H 64, h*D 64, k*D 32, I 256, V 6400, 12 tokens of 2 rows, 2 layers: weights 2 (64*64*2 + 64*32*2 +
    // 3*64*256) + 64*6400, and attention 2 layers * 2 rows * 4 heads * (2 products of 16 * 6 * 6).
    const double per_token = 2.0 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 256) + 64.0 * 6400;
    const double attention = 2.0 * 2 * 4 * 2 * 16 * 6 * 6;
    ProductsAlone products(model, {{2, 6}, 0});
    CHECK(products.gflop() == doctest::Approx(2e-9 * (12 * per_token + attention)));
    products.run();  // reads and writes within bounds: the sanitizer build watches

    // One token on a cache of 9: scores and weights of 10 keys.
    ProductsAlone step(model, {{1, 1}, 9});
    CHECK(step.gflop() == doctest::Approx(2e-9 * (per_token + 2 * 4 * 2 * 16 * 10)));
    step.run();
}

TEST_CASE("an expert's products count for the tokens that it gets") {
    const CausalLm model = tiny_model(true);
    const double per_token = 2.0 * (2 * 64 * 64 + 2 * 64 * 32 + 64 * 4) + 64.0 * 6400;
    const double attention = 2.0 * 4 * 2 * 16 * 3 * 3;
    const double expert = 3.0 * 64 * 256;
    ProductsAlone products(model, {{1, 3}, 0}, {{3, 0, 0, 0}, {1, 0, 2, 0}});
    CHECK(products.gflop() == doctest::Approx(2e-9 * (3 * per_token + attention + 2 * 3 * expert)));
    products.run();
}

TEST_CASE("every weight is read once") {
    // The checksum adds 64-bit words, so that it can be computed in any order.
    const CausalLm model = tiny_model();
    std::uint64_t checksum = 0;
    for (const arma::fmat* weight : model.parameters()) {
        for (arma::uword i = 0; i + 1 < weight->n_elem; i += 2) {
            std::uint64_t word = 0;
            std::memcpy(&word, weight->memptr() + i, sizeof word);
            checksum += word;
        }
    }
    CHECK(read_weights(model) == checksum);
}

TEST_CASE("a program is timed and its memory measured, and one that cannot start is not a success") {
    const ProgramRun run = run_silently({MINIMIND_START_FLOOR});
    CHECK(run.exit_code == 0);
    CHECK(run.ms > 0.0);
    CHECK(run.peak_mb > 1.0);
    CHECK(run_silently({"/nonexistent/program"}).exit_code == -1);
    CHECK(run_silently({MINIMIND_PROGRAM, "no_such_command"}).exit_code == 2);
}

TEST_CASE("results depend on the number of threads by less than 1e-6") {
    ModelConfig config = preset("minimind3");
    config.num_hidden_layers = 1;
    config.vocab_size = 100;
    Generator generator(42);
    const CausalLm model = fresh_model(completed(config), generator);
    TokenIds ids{{2, 70}, std::vector<std::int64_t>(140)};
    for (std::size_t i = 0; i < ids.ids.size(); ++i) ids.ids[i] = static_cast<std::int64_t>(7 * i % 100);
    const int threads = omp_get_max_threads();
    use_threads(1);
    const arma::fmat alone = model.forward(ids).logits;
    use_threads(3);
    const arma::fmat shared = model.forward(ids).logits;
    use_threads(threads);
    CHECK(arma::abs(alone - shared).max() <= 1e-6F * arma::abs(alone).max());
}

TEST_CASE("the measurements that are promised exist, each by one name") {
    std::set<std::string> names;
    for (const Benchmark& benchmark : benchmarks(MINIMIND_PROGRAM, MINIMIND_START_FLOOR)) {
        CHECK(names.insert(benchmark.name).second);
        CHECK(!benchmark.what.zh.empty());
        CHECK(!benchmark.floor.zh.empty());
    }
    for (const char* name : {"start_to_exit", "forward_4x340", "forward_1x2048", "decode_1", "decode_340",
                             "decode_2048", "moe_forward", "initialise"}) {
        CHECK_MESSAGE(names.count(name) == 1, name);
    }
}

TEST_CASE("minimind bench prints objects with name, ms, floor_ms and their ratio") {
    const ProgramResult result =
        run_program({"bench", "--only", "tiny", "--only", "start", "--repeats", "1", "--format", "json"});
    CHECK(result.exit_code == 0);
    const auto list = json_of(result.out);
    REQUIRE(list.size() == 2);
    for (const auto& entry : list) {
        CHECK(entry.at("ms").get<double>() > 0.0);
        CHECK(entry.at("ratio").get<double>() ==
              doctest::Approx(entry.at("ms").get<double>() / entry.at("floor_ms").get<double>()));
    }
    CHECK(list[0].at("name") == "start_to_exit");
    CHECK(run_program({"bench", "--only", "nothing_like_it"}).exit_code == 2);
}

#ifndef MINIMIND_SANITIZED  // sanitizers need memory of their own
TEST_CASE("a forward pass of minimind3 needs its weights and at most 120 MB more") {
    // Its largest moment: hidden, normed, gate, up and gated of one layer, or the logits; docs/performance.md. The
    // statistics of the one stage that is shown need no copy. 63,912,192 weights of 4 bytes.
    constexpr double weights_mb = 63'912'192 * 4e-6;
    const ProgramRun run = run_silently({MINIMIND_PROGRAM, "trace", "--preset", "minimind3", "--batch_size", "4",
                                         "--seq_len", "340", "--filter", "model.norm"});
    CHECK(run.exit_code == 0);
    CAPTURE(run.peak_mb - weights_mb);
    CHECK(run.peak_mb < weights_mb + 120.0);
    CHECK(run.peak_mb > weights_mb);
}
#endif
