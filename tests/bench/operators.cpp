// Each operator of the model, a block, and whole passes, with Google Benchmark. Beside each stands its floor, measured in
// the same run, and the ratio of the two: for what multiplies matrices, its products alone through the same BLAS; for
// what works value by value, a plain read of the bytes that it reads and writes.
//
//   build/release/tests/bench/bench_operators --benchmark_filter=silu
#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>

#include "bench/measurements.hpp"
#include "bench/products_alone.hpp"
#include "bench/stopwatch.hpp"
#include "core/freed_memory.hpp"
#include "labs.hpp"
#include "model/activation.hpp"
#include "model/elementwise.hpp"
#include "model/products.hpp"
#include "model/rms_norm.hpp"
#include "random/fresh_model.hpp"

using namespace minimind;

namespace {

constexpr Batch batch{4, 340};
constexpr auto tokens = static_cast<arma::uword>(batch.batch * batch.seq);

const CausalLm& minimind3() {
    static const CausalLm model = [] {
        Generator generator(42);
        return fresh_model(completed(preset("minimind3")), generator);
    }();
    return model;
}

const Block& first_block() {
    return minimind3().model().layers.front();
}

/// Random values [rows, tokens]; rows of hidden states, heads or scores.
arma::fmat random_columns(arma::uword rows) {
    arma::fmat x(rows, tokens, arma::fill::none);
    Generator generator(7);
    generator.fill_normal(x.memptr(), x.n_elem, 0.0, 1.0);
    return x;
}

/// Times `work` in the benchmark's loop; then its floor, as the counters floor_ms and ratio.
void run(benchmark::State& state, const std::function<void()>& work, const std::function<void()>& floor) {
    std::vector<double> work_ms;
    std::vector<double> floor_ms;
    for (auto _ : state) {
        work_ms.push_back(milliseconds(work));
        state.PauseTiming();
        floor_ms.push_back(milliseconds(floor));
        state.ResumeTiming();
    }
    state.counters["floor_ms"] = median(floor_ms);
    state.counters["ratio"] = median(work_ms) / median(floor_ms);
}

/// A floor for elementwise work: as many floats read as it reads and writes.
std::function<void()> reading(const std::vector<const arma::fmat*>& touched) {
    return [touched] {
        for (const arma::fmat* x : touched) {
            benchmark::DoNotOptimize(read_floats(x->memptr(), static_cast<std::int64_t>(x->n_elem)));
        }
    };
}

void products(benchmark::State& state, const arma::fmat& weight) {
    const arma::fmat x = random_columns(weight.n_rows);
    arma::fmat y(weight.n_cols, tokens);
    run(
        state, [&] { benchmark::DoNotOptimize(linear(weight, x).memptr()); },
        [&] {
            multiply_transposed({weight.memptr(), weight.n_rows, weight.n_cols, weight.n_rows},
                                {x.memptr(), x.n_rows, x.n_cols, x.n_rows}, 1.0F, y.memptr(), y.n_rows);
        });
}

void rms_norm_operator(benchmark::State& state) {
    const arma::fmat x = random_columns(768);
    run(
        state, [&] { benchmark::DoNotOptimize(rms_norm(x, first_block().input_layernorm, 1e-6).memptr()); },
        reading({&x, &x}));
}

void rope_operator(benchmark::State& state) {
    const arma::fmat x = random_columns(768);
    const RotaryTables tables = rope_tables(minimind3().config(), 0, batch.seq);
    run(
        state, [&] { benchmark::DoNotOptimize(apply_rope(x, tables, batch).memptr()); }, reading({&x, &x, &x, &x}));
}

void activation_operator(benchmark::State& state, const std::string& name) {
    arma::fmat x = random_columns(2432);
    run(
        state, [&] { x = activate(name, std::move(x)); }, reading({&x, &x}));
}

void residual_operator(benchmark::State& state) {
    arma::fmat x = random_columns(768);
    const arma::fmat increment = random_columns(768);
    run(
        state, [&] { x = elementwise_sum(std::move(x), increment); }, reading({&x, &increment, &x}));
}

void attention_operator(benchmark::State& state) {
    const arma::fmat x = random_columns(768);
    const ModelConfig& config = minimind3().config();
    const RotaryTables rope = rope_tables(config, 0, batch.seq);
    const BlockInput input{config, batch, rope, {}};
    const StageTrace no_trace(nullptr, batch);
    ProductsAlone floor = ProductsAlone::of_attention(first_block().self_attn, config, {batch, 0});
    run(
        state, [&] { benchmark::DoNotOptimize(first_block().self_attn.forward(x, input, nullptr, no_trace).memptr()); },
        [&] { floor.run(); });
}

void block_operator(benchmark::State& state) {
    const arma::fmat x = random_columns(768);
    const ModelConfig& config = minimind3().config();
    const RotaryTables rope = rope_tables(config, 0, batch.seq);
    const BlockInput input{config, batch, rope, {}};
    const StageTrace no_trace(nullptr, batch);
    ProductsAlone floor = ProductsAlone::of_block(first_block(), config, {batch, 0});
    run(
        state, [&] { first_block().forward(x, input, nullptr, false, no_trace); }, [&] { floor.run(); });
}

/// A line of `minimind bench`, measured by Google Benchmark's loop: one repeat a turn.
void measured(benchmark::State& state, const Benchmark& what) {
    std::vector<double> ms;
    std::vector<double> floor_ms;
    for (auto _ : state) {
        const Measurement once = what.measure(1);
        state.SetIterationTime(once.ms / 1e3);
        ms.push_back(once.ms);
        floor_ms.push_back(once.floor_ms);
    }
    state.counters["floor_ms"] = median(floor_ms);
    state.counters["ratio"] = median(ms) / median(floor_ms);
}

}  // namespace

int main(int argc, char** argv) {
    keep_freed_memory();
    benchmark::RegisterBenchmark("rms_norm", rms_norm_operator);
    benchmark::RegisterBenchmark("rope", rope_operator);
    for (const std::string& name : activation_names()) {
        benchmark::RegisterBenchmark(name.c_str(),
                                     [name](benchmark::State& state) { activation_operator(state, name); });
    }
    benchmark::RegisterBenchmark("residual_add", residual_operator);
    benchmark::RegisterBenchmark("q_proj", [](auto& state) { products(state, first_block().self_attn.q_proj); });
    benchmark::RegisterBenchmark("gate_proj", [](auto& state) { products(state, first_block().mlp.gate_proj); });
    benchmark::RegisterBenchmark("down_proj", [](auto& state) { products(state, first_block().mlp.down_proj); });
    benchmark::RegisterBenchmark("lm_head", [](auto& state) { products(state, minimind3().lm_head()); });
    benchmark::RegisterBenchmark("attention", attention_operator);
    benchmark::RegisterBenchmark("block", block_operator);
    const std::vector<Benchmark> passes = benchmarks(MINIMIND_PROGRAM, MINIMIND_START_FLOOR);
    for (const Benchmark& pass : passes) {
        benchmark::RegisterBenchmark(pass.name.c_str(), [&pass](auto& state) { measured(state, pass); })
            ->UseManualTime()
            ->Iterations(3);
    }
    for (const Lab& lab : labs()) {
        const std::string name = lab.command.name;
        benchmark::RegisterBenchmark(("start_to_exit/" + name).c_str(), [name](benchmark::State& state) {
            run(
                state,
                [&] {
                    run_silently({MINIMIND_PROGRAM, name});
                },
                [] { run_silently({MINIMIND_START_FLOOR}); });
        })->Iterations(11);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
