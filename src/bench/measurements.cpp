#include "bench/measurements.hpp"

#include <omp.h>

#include <algorithm>
#include <map>

#include "bench/products_alone.hpp"
#include "bench/stopwatch.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"
#include "model/products.hpp"
#include "random/fresh_model.hpp"
#include "trace/recorder.hpp"

namespace minimind {

namespace {

using Call = std::function<void()>;

/// Work and floor in turns, after one of each that does not count.
Measurement in_turns(const std::string& name, int repeats, const Call& work, const Call& floor) {
    std::vector<double> work_ms;
    std::vector<double> floor_ms;
    work();
    floor();
    for (int i = 0; i < repeats; ++i) {
        work_ms.push_back(milliseconds(work));
        floor_ms.push_back(milliseconds(floor));
    }
    return {name, median(work_ms), median(floor_ms), {}, {}};
}

/// The models of the benchmarks, each built at its first use.
class Models {
  public:
    const CausalLm& get(const std::string& preset_name) {
        std::unique_ptr<CausalLm>& model = models_[preset_name];
        if (!model) model = std::make_unique<CausalLm>(build(preset_name));
        return *model;
    }

    static CausalLm build(const std::string& preset_name) {
        Generator generator(42);
        return fresh_model(completed(preset(preset_name)), generator);
    }

  private:
    std::map<std::string, std::unique_ptr<CausalLm>> models_;
};

TokenIds some_ids(Batch batch, const ModelConfig& config) {
    TokenIds ids{batch, std::vector<std::int64_t>(static_cast<std::size_t>(batch.tokens()))};
    for (std::size_t i = 0; i < ids.ids.size(); ++i) {
        ids.ids[i] = (7 * static_cast<std::int64_t>(i) + 1) % config.vocab_size;
    }
    return ids;
}

/// How many tokens each expert of each layer gets for these ids.
std::vector<std::vector<std::int64_t>> tokens_of_experts(const CausalLm& model, const TokenIds& ids) {
    const ModelConfig& config = model.config();
    if (!config.use_moe) return {};
    Recorder recorder([](Site site) { return site.point == Point::topk_idx; });
    ForwardOptions options;
    options.hook = &recorder;
    model.forward(ids, options);
    std::vector<std::vector<std::int64_t>> counts;
    for (const Record& record : recorder.records()) {
        std::vector<std::int64_t> tokens(static_cast<std::size_t>(config.num_experts));
        for (const std::int64_t expert : record.i64) ++tokens[static_cast<std::size_t>(expert)];
        counts.push_back(std::move(tokens));
    }
    return counts;
}

/// As the program runs it: a tiny model on one thread.
Measurement forward(const std::string& name, const CausalLm& model, Batch batch, int repeats) {
    const int threads = omp_get_max_threads();
    use_one_thread_for_little(active_parameter_count(model.config()) * batch.tokens());
    const TokenIds ids = some_ids(batch, model.config());
    ProductsAlone products(model, {batch, 0}, tokens_of_experts(model, ids));
    Measurement result = in_turns(
        name, repeats, [&] { model.forward(ids); }, [&] { products.run(); });
    result.gflop = products.gflop();
    use_threads(threads);
    return result;
}

/// One new token on a cache of `past`; several in a row, since one takes only some milliseconds.
Measurement decode(const std::string& name, const CausalLm& model, std::int64_t past, int repeats) {
    constexpr int tokens = 4;
    KvCache prefix(model.config());
    ForwardOptions options;
    options.past_key_values = &prefix;
    options.logits_to_keep = 1;
    model.forward(some_ids({1, past}, model.config()), options);
    KvCache cache(model.config());
    ForwardOptions on_cache;
    on_cache.past_key_values = &cache;
    const TokenIds token{{1, 1}, {5}};
    ProductsAlone products(model, {{1, 1}, past});
    std::vector<double> work_ms;
    std::vector<double> floor_ms;
    std::vector<double> read_ms;
    std::uint64_t checksum = 0;
    for (int i = 0; i <= repeats; ++i) {
        cache = prefix;                  // copied outside the time
        model.forward(token, on_cache);  // makes room in the copy
        const double work = milliseconds([&] {
            for (int t = 0; t < tokens; ++t) model.forward(token, on_cache);
        });
        const double floor = milliseconds([&] {
            for (int t = 0; t < tokens; ++t) products.run();
        });
        const double read = milliseconds([&] { checksum += read_weights(model); });
        if (i == 0) continue;
        work_ms.push_back(work / tokens);
        floor_ms.push_back(floor / tokens);
        read_ms.push_back(read);
    }
    if (checksum == 0) throw Error("the weights could not be read");
    return {name, median(work_ms), median(floor_ms), median(read_ms), products.gflop()};
}

/// Statistics of every stage, against the same forward pass without a hook.
Measurement statistics_of_every_stage(const std::string& name, const CausalLm& model, Batch batch, int repeats) {
    const TokenIds ids = some_ids(batch, model.config());
    return in_turns(
        name, repeats,
        [&] {
            Recorder recorder([](Site) { return true; }, false);
            ForwardOptions options;
            options.hook = &recorder;
            model.forward(ids, options);
        },
        [&] { model.forward(ids); });
}

/// From random numbers to a model, against writing as many bytes.
Measurement initialise(const std::string& name, int repeats) {
    const std::size_t floats = 64'000'000;
    return in_turns(
        name, repeats, [] { Models::build("minimind3"); }, [&] { arma::fvec(floats, arma::fill::none).fill(0.02F); });
}

void run_or_throw(const std::vector<std::string>& command) {
    if (run_silently(command).exit_code != 0) throw Error("a program that is measured failed").at(command[0]);
}

}  // namespace

std::vector<Benchmark> benchmarks(const std::string& program, const std::string& start_floor) {
    const auto models = std::make_shared<Models>();
    const Words products = {"its matrix products alone", "只做其中的矩阵乘法"};
    const Words vectors = {"its matrix-vector products alone", "只做其中的矩阵-向量乘法"};
    std::vector<Benchmark> all;
    const auto add_forward = [&](const std::string& name, const std::string& preset_name, Batch batch, Words what) {
        all.push_back({name, std::move(what), products,
                       [=](int repeats) { return forward(name, models->get(preset_name), batch, repeats); }});
    };
    const auto add_decode = [&](std::int64_t past, Words what) {
        const std::string name = "decode_" + std::to_string(past);
        all.push_back({name, std::move(what), vectors,
                       [=](int repeats) { return decode(name, models->get("minimind3"), past, repeats); }});
    };
    if (!start_floor.empty()) {
        all.push_back({"start_to_exit",
                       {"labs/run trace_block_shapes, without the script", "trace_block_shapes 从启动到退出"},
                       {"a program that multiplies two small matrices", "只做一次小矩阵乘法的程序"},
                       [=](int repeats) {
                           return in_turns(
                               "start_to_exit", 4 * repeats,
                               [=] {
                                   run_or_throw({program, "trace_block_shapes"});
                               },
                               [=] { run_or_throw({start_floor}); });
                       }});
    }
    add_forward("forward_2x6_tiny", "tiny", {2, 6}, {"2 rows of 6 tokens, tiny", "2 行 × 6 token，tiny"});
    add_forward("forward_4x340", "minimind3", {4, 340},
                {"4 rows of 340 tokens, minimind3", "4 行 × 340 token，minimind3"});
    add_forward("forward_1x2048", "minimind3", {1, 2048},
                {"1 row of 2048 tokens, minimind3", "1 行 × 2048 token，minimind3"});
    add_decode(1, {"one token on a cache of 1", "缓存 1 个 token 后再算一个"});
    add_decode(340, {"one token on a cache of 340", "缓存 340 个 token 后再算一个"});
    add_decode(2048, {"one token on a cache of 2048", "缓存 2048 个 token 后再算一个"});
    add_forward("moe_forward", "minimind3-moe", {4, 340},
                {"4 rows of 340 tokens, minimind3-moe", "4 行 × 340 token，minimind3-moe"});
    all.push_back(
        {"statistics_4x340",
         {"forward_4x340 with statistics of every stage", "forward_4x340，并统计每个阶段"},
         {"without a hook", "不挂 hook"},
         [=](int repeats) {
             return statistics_of_every_stage("statistics_4x340", models->get("minimind3"), {4, 340}, repeats);
         }});
    all.push_back({"initialise",
                   {"PyTorch's weights of minimind3 from a seed", "由种子生成 minimind3 的权重"},
                   {"filling as much memory", "填满同样大小的内存"},
                   [](int repeats) { return initialise("initialise", repeats); }});
    return all;
}

MachinePeak machine_peak() {
    MachinePeak peak;
    peak.threads = omp_get_max_threads();
    constexpr arma::uword size = 1536;
    const arma::fmat a(size, size, arma::fill::value(0.01F));
    constexpr double gflop = 2e-9 * size * size * size;
    const arma::fvec memory(64'000'000, arma::fill::value(0.01F));
    for (int i = 0; i < 5; ++i) {
        arma::fmat product;
        const double ms = milliseconds([&] { product = linear(a, a); });
        peak.gflops = std::max(peak.gflops, 1e3 * gflop / ms);
        std::uint64_t checksum = 0;
        const double read_ms =
            milliseconds([&] { checksum = read_floats(memory.memptr(), static_cast<std::int64_t>(memory.n_elem)); });
        if (checksum != 0) peak.gigabytes_a_second = std::max(peak.gigabytes_a_second, 4e-6 * 64e6 / read_ms);
    }
    return peak;
}

nlohmann::ordered_json measurement_json(const Measurement& measurement) {
    nlohmann::ordered_json json = {{"name", measurement.name},
                                   {"ms", measurement.ms},
                                   {"floor_ms", measurement.floor_ms},
                                   {"ratio", measurement.ratio()}};
    if (measurement.read_ms) json["read_ms"] = *measurement.read_ms;
    if (measurement.gflop) {
        json["gflop"] = *measurement.gflop;
        json["gflops"] = 1e3 * *measurement.gflop / measurement.ms;
    }
    return json;
}

}  // namespace minimind
